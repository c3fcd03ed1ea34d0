import type { CheckpointedTx, OrgEnv, View } from "../door.ts";

/** The means of `work`: its own transactions, and the outside world between them. */
export interface DueContext {
  readonly storage: DurableObjectStorage;
  readonly env: OrgEnv;
  view(): View;
}

/**
 * `change`: runs inside one transaction, with the removal of its row. `work`: calls the outside world; its row stays,
 * moved ahead as a retry, until the work itself moves or removes it with `scheduleDue`.
 */
export type DueHandler =
  | { readonly kind: "change"; run(tx: CheckpointedTx, key: string): void }
  | { readonly kind: "work"; run(context: DueContext, key: string): Promise<void> };
