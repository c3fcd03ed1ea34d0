import type { SingleScope } from "../contract/scopes.ts";
import type { Account } from "../domain/meter.ts";
import type { TokenPrice } from "../domain/money.ts";

/** What an isolate needs to decide calls like this one by itself. */
export interface Lesson {
  /** The dollar limits that the call touches, in order of refusal, and how they stand. */
  readonly accounts: readonly Account[];
  readonly matters: Matters;
  readonly price: TokenPrice | null;
}

/**
 * Which of the names that a call may give decide what it touches: all (null), some, or none. An object of an earlier
 * version says nothing about a newer scope.
 */
export type Matters = { readonly [Kind in SingleScope]?: readonly string[] | null } & {
  readonly customer: boolean;
};
