import { withoutAmount } from "../../domain/rate/counted-part.ts";
import type { RateMeter } from "../../domain/rate/policy.ts";
import type { RateBook } from "../kernel/door.ts";
import { findCountedMeters, readCountedParts } from "./hold-rates.ts";
import type { HoldRow } from "./table.ts";

/** The counters by dollars in which a hold is. */
export function dollarMetersOf(book: RateBook, hold: HoldRow): readonly RateMeter[] {
  return findCountedMeters(
    book.policies().filter(({ unit }) => unit === "usd"),
    hold,
  );
}

/** Takes so much of a hold out of the windows in dollars that have counted it. */
export function giveBackDollars(book: RateBook, hold: HoldRow, nanos: number): void {
  for (const meter of dollarMetersOf(book, hold)) {
    book.giveBack(meter, withoutAmount(readCountedParts(meter, hold), nanos).back);
  }
}
