import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import { Usd } from "../../view/money.tsx";
import { amountText } from "./budget-words.ts";

/** An amount in the budget's unit. Dollars are rounded to cents to the eye. */
export function Amount({ of, amount }: { of: Pick<Budget, "unit">; amount: string | number | null }) {
  if (of.unit === "usd" && amount !== null) return <Usd of={String(amount)} />;
  return <>{amountText(of, amount)}</>;
}
