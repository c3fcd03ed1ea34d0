import { invalidField, type Refusal } from "../../contract/refusal.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import type { ChainPlace } from "../kernel/door.ts";

/** How deep in its chain a run is, or would be: 1 for the first, 0 outside a chain. */
export function chainDepth(
  chain: RunInput["chain"],
  find: (runId: string) => ChainPlace | undefined,
): number | Refusal<"validation_failed"> {
  if (chain === undefined) return 0;
  const { chain_id, parent_run_id } = chain;
  if (parent_run_id === undefined) return 1;
  const parent = find(parent_run_id);
  if (parent === undefined || parent.chainId !== chain_id) {
    return invalidField("chain.parent_run_id", "unknown", "is not a run in this chain");
  }
  return parent.depth + 1;
}
