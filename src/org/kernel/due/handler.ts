import type { OrgEnv, Tx, View } from "../door.ts";

/** What `work` may use: its own transactions, and the outside world between them. */
export interface DueContext {
  readonly storage: DurableObjectStorage;
  readonly env: OrgEnv;
  view(): View;
}

/**
 * `change`: runs inside one transaction, together with the removal of its row. `work`: talks to the outside world in
 * between; its row stays, moved ahead as a retry, until the work itself moves it or takes it back with `scheduleDue`.
 */
export type DueHandler =
  | { readonly kind: "change"; run(tx: Tx, key: string): void }
  | { readonly kind: "work"; run(context: DueContext, key: string): Promise<void> };
