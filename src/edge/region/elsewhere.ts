import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { Call } from "../call.ts";
import { peersOf } from "./peer.ts";
import { relay, type Relayed } from "./settle.ts";

type Asking = Parameters<typeof relay>[0] & Pick<Call, "rawBody">;

/**
 * Hands on a call about something that this region's database does not know, and that only one region's can: the one that
 * knows it answers. When none does, it is not found; when one that could know is silent, nobody can tell.
 */
export async function askElsewhere(
  call: Asking,
): Promise<Refusal<"not_found" | "service_unavailable"> | Relayed> {
  // What came from another region was asked there, and is asked here once.
  if (call.pass !== null) return refuse("not_found");
  const answers = await Promise.allSettled(
    peersOf(call.settings).map((region) => relay(call, region, call.rawBody)),
  );
  let silent = false;
  for (const answer of answers) {
    if (answer.status === "rejected" || isRefusal(answer.value)) silent = true;
    else if (answer.value.relayed.status !== 404) return answer.value;
  }
  return refuse(silent ? "service_unavailable" : "not_found");
}
