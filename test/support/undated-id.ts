import { KeyedHash } from "../../src/domain/keyed-hash.ts";
import { ReservationIds } from "../../src/domain/reservation-id.ts";
import { lettersOf } from "../../src/domain/ulid.ts";
import { env } from "./worker.ts";

/** The id of a request's reservation as an earlier version made it: its check covers no time. */
export function undatedId(orgId: string, requestId: string, question: string): string {
  const name = new ReservationIds(env.SVC_KEY_PEPPER, orgId).nameOf(requestId, question);
  const [head, tail] = [name.slice(0, 14), name.slice(20)];
  const text = head + tail;
  const words = [text.length];
  for (let at = 0; at < text.length; at += 2) {
    words.push(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
  }
  const hash = KeyedHash.for(`reservations by request of ${orgId}`, env.SVC_KEY_PEPPER);
  return head + lettersOf(hash.of(words)[0], 6) + tail;
}
