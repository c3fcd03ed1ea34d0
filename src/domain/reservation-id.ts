import { KeyedHash } from "./keyed-hash.ts";
import { RequestNames } from "./request-hash.ts";
import { ALPHABET, lettersOf, newId, timeOf } from "./ulid.ts";

/**
 * Ids of an org's reservations. Of the 26 characters after `rsv_`, which have the shape of a ULID, six are a keyed check
 * of all others, so that ids that were given out are told from invented ones without a look at what is stored. The rest is
 *
 * - for a call without a request id, the time and ten random characters;
 * - for a call with one, seven characters of the question and thirteen of the request id. Wherever it is decided, in any
 *   isolate or by the object, the same question under the same request id has the same id, and another question has
 *   another id that shares its request's thirteen characters.
 */
const PREFIX = "rsv_";
const ID_CHARACTERS = PREFIX.length + 26;
const QUESTION_CHARACTERS = 7;
const QUESTION_TO = PREFIX.length + QUESTION_CHARACTERS;
const CHECK_FROM = PREFIX.length + 10;
const CHECK_TO = CHECK_FROM + 6;

/** The parts of an id. */
type Origin = "time" | "request";

export class ReservationIds {
  readonly #requests: RequestNames;
  readonly #checks: Readonly<Record<Origin, KeyedHash>>;
  readonly #questions: KeyedHash;

  constructor(pepper: string, orgId: string) {
    this.#requests = new RequestNames(pepper, orgId);
    this.#questions = KeyedHash.for(`questions of ${orgId}`, pepper);
    this.#checks = {
      time: KeyedHash.for(`reservations by time of ${orgId}`, pepper),
      request: KeyedHash.for(`reservations by request of ${orgId}`, pepper),
    };
  }

  /** A unique id. */
  newId(nowMs: number): string {
    return this.#checked("time", newId("rsv", nowMs));
  }

  /** The id of a question under a request id. */
  idOf(requestId: string, question: string): string {
    const request = this.#requests.of(requestId);
    // The check includes the request, so the ids of one request say nothing about those of another.
    const [low, high] = this.#questions.of(wordsOf(request + question));
    // A ULID begins with at most a 7.
    return this.#checked(
      "request",
      PREFIX + lettersOf(high & 7, 1) + lettersOf(low, 6) + request.slice(QUESTION_CHARACTERS),
    );
  }

  /** The parts of an id of this org. Null if the id was never given out. */
  originOf(id: string): Origin | null {
    if (!id.startsWith(PREFIX) || id.length !== ID_CHARACTERS) return null;
    if (this.#checked("time", id) === id) return "time";
    return this.#checked("request", id) === id ? "request" : null;
  }

  #checked(origin: Origin, id: string): string {
    const head = id.slice(0, CHECK_FROM);
    const tail = id.slice(CHECK_TO);
    const [check] = this.#checks[origin].of(wordsOf(head + tail));
    return head + lettersOf(check, CHECK_TO - CHECK_FROM) + tail;
  }
}

/** Two characters per word, after the length, so that no two texts give the same words. */
function wordsOf(text: string): number[] {
  const words = [text.length];
  for (let at = 0; at < text.length; at += 2) {
    words.push(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
  }
  return words;
}

/** Whether two ids belong to one request, whatever was asked. */
export function isSameRequest(one: string, other: string): boolean {
  return requestPart(one) === requestPart(other);
}

function requestPart(id: string): string {
  return id.slice(QUESTION_TO, CHECK_FROM) + id.slice(CHECK_TO);
}

/** The value of each character of an id, by its code. */
const BITS = new Uint8Array(128);
for (const [bits, code] of ALPHABET.entries()) BITS[code] = bits;

/** A request as a 30-bit number, from the six characters that all of its ids end with. Few requests share a number. */
export function requestNumber(id: string): number {
  let number = 0;
  for (let index = id.length - 6; index < id.length; index += 1) {
    number = (number << 5) | (BITS[id.charCodeAt(index)] ?? 0);
  }
  return number;
}

/** When a reservation was made, from an id that contains a time. */
export function madeAt(id: string): number {
  return timeOf(id.slice(PREFIX.length));
}
