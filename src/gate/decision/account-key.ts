import type { Account } from "../../domain/meter/meter.ts";

/**
 * The key under which a slice of a dollar limit is leased: the meter, since when it exists in this form, its subject,
 * and the window. A limit whose windows changed, or that was deleted and recreated, has other keys.
 */
export function accountKey({ meter, subject, window }: Account): string {
  return `usd\n${window.startMs}\n${window.endMs}\n${meter.id}\n${meter.sinceMs}\n${subject}`;
}
