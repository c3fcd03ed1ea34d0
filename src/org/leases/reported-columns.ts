import { PLACES } from "../../gate/reported-hold.ts";

/** The columns of a reported hold's line, for a statement that reads lines as `row`. */
export const REPORTED_COLUMNS = {
  id: columnOf(PLACES.id),
  at: columnOf(PLACES.at),
  expiresAt: columnOf(PLACES.expiresAt),
  amount: `substr(row, ${PLACES.amount.from + 1}, instr(row || ' ', ' ') - ${PLACES.amount.from + 1})`,
  tokens: "CAST(substr(row, instr(row || ' ', ' ') + 1) AS INTEGER)",
} as const;

function columnOf({ from, characters }: (typeof PLACES)["id" | "at" | "expiresAt"]): string {
  return `substr(row, ${from + 1}, ${characters})`;
}
