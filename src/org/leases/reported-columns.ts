import { PLACES } from "../../gate/reported-hold.ts";

/** The columns of a reported hold's line, for a statement that reads lines as `row`. */
export const REPORTED_COLUMNS = {
  id: columnOf(PLACES.id),
  at: columnOf(PLACES.at),
  expiresAt: columnOf(PLACES.expiresAt),
  amount: columnOf(PLACES.amount),
} as const;

function columnOf({ from, characters }: (typeof PLACES)[keyof typeof PLACES]): string {
  return characters === null ? `substr(row, ${from + 1})` : `substr(row, ${from + 1}, ${characters})`;
}
