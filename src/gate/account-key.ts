import type { Account } from "../domain/meter.ts";

/**
 * What a slice of a limit in dollars is leased under: the meter, since when it has been that meter, whose count it is, and
 * the window it belongs to. A limit that counts in other windows since, or was ended and made again, has other keys.
 */
export function accountKey({ meter, subject, window }: Account): string {
  return `usd\n${window.startMs}\n${window.endMs}\n${meter.id}\n${meter.sinceMs}\n${subject}`;
}
