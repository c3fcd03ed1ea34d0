import { HOUR_MS } from "../../contract/durations.ts";
import { KeyedHash } from "../bytes/keyed-hash.ts";
import { RequestNames, requestNamesKey } from "./request-names.ts";
import { ALPHABET } from "../bytes/id-letters.ts";
import { lettersOf, newId, timeOf } from "../bytes/ulid.ts";

/**
 * Ids of an org's reservations. Of the 26 characters after `rsv_`, which have the shape of a ULID, six are a keyed check
 * of all others, so that ids that were given out are told from invented ones without a look at what is stored. The rest is
 *
 * - for a call without a request id, the time and ten random characters;
 * - for a call with one, seven characters of its fingerprint and thirteen of the request id. Wherever it is decided, in any
 *   isolate or by the object, the same fingerprint under the same request id has the same twenty characters, and another
 *   fingerprint shares the thirteen of its request. The check covers the half day in which it was decided, so that an id that
 *   is not stored can be told from one that has ended and been forgotten.
 */
const PREFIX = "rsv_";
const ID_CHARACTERS = PREFIX.length + 26;
const FINGERPRINT_CHARACTERS = 7;
const FINGERPRINT_TO = PREFIX.length + FINGERPRINT_CHARACTERS;
const CHECK_FROM = PREFIX.length + 10;
const CHECK_TO = CHECK_FROM + 6;

/** An id is recognized in the half day in which it was decided, and in the next one. */
export const DATED_MS = 12 * HOUR_MS;

/** What an id is made of: the time, in our isolates and objects or for a gate outside, or the request. */
type Origin = "time" | "gate" | "request";

/** In the check of an id that was given to a gate outside, which has it before it makes any reservation. */
export const FOR_GATE = 0;

/** Names the reservations of a gate. */
export interface ReservationNames {
  /** Returns whether it can name another one now. */
  isReady(): boolean;
  /** A unique id. */
  newId(nowMs: number): string;
  /** Returns what all ids of a fingerprint under a request id have in common. Null if only the object can name it. */
  nameOf(requestId: string, fingerprint: string): string | null;
  /** The id of a reservation that is made now for what is named so. */
  dated(name: string, nowMs: number): string;
}

/**
 * Returns what the ids of an org's reservations are made with. They must stay the same when the pepper changes: the
 * same request has the same id, and is decided once.
 */
export function reservationKey(pepper: string, orgId: string): string {
  return Buffer.concat([
    requestNamesKey(pepper, orgId),
    KeyedHash.keyFor(`questions of ${orgId}`, pepper),
    KeyedHash.keyFor(`reservations by time of ${orgId}`, pepper),
    KeyedHash.keyFor(`reservations by request of ${orgId}`, pepper),
  ]).toString("base64");
}

export class ReservationIds implements ReservationNames {
  readonly #requests: RequestNames;
  readonly #checks: Readonly<Record<Exclude<Origin, "gate">, KeyedHash>>;
  readonly #fingerprints: KeyedHash;

  /** With the key that the org keeps, or the one that the pepper gives. */
  constructor(pepper: string, orgId: string, key: string = reservationKey(pepper, orgId)) {
    const bytes = Buffer.from(key, "base64");
    this.#requests = new RequestNames(bytes.subarray(0, 16));
    this.#fingerprints = KeyedHash.of(bytes.subarray(16, 24));
    this.#checks = {
      time: KeyedHash.of(bytes.subarray(24, 32)),
      request: KeyedHash.of(bytes.subarray(32, 40)),
    };
  }

  isReady(): boolean {
    return true;
  }

  newId(nowMs: number, ...origin: readonly number[]): string {
    return this.#checked("time", newId("rsv", nowMs), ...origin);
  }

  /** The id of a fingerprint under a request id that is decided now. */
  idOf(requestId: string, fingerprint: string, nowMs: number): string {
    return this.dated(this.nameOf(requestId, fingerprint), nowMs);
  }

  /**
   * Returns what all ids of a fingerprint under a request id have in common, in the form of an id without its check.
   */
  nameOf(requestId: string, fingerprint: string): string {
    const request = this.#requests.of(requestId);
    // The check includes the request, so the ids of one request say nothing about those of another.
    const [low, high] = this.#fingerprints.ofText(request + fingerprint);
    // A ULID begins with at most a 7.
    return PREFIX + lettersOf(high & 7, 1) + lettersOf(low, 6) + request.slice(FINGERPRINT_CHARACTERS);
  }

  /** The id of a reservation that is made now for what is named so. */
  dated(name: string, nowMs: number): string {
    return this.#checked("request", name, Math.floor(nowMs / DATED_MS));
  }

  /**
   * Returns what an id of this org is made of. Null if the id was never given out, or for a request that was decided
   * earlier than in the half day before this one.
   */
  originOf(id: string, nowMs: number): Origin | null {
    if (!id.startsWith(PREFIX) || id.length !== ID_CHARACTERS) return null;
    const isTimed = (...origin: readonly number[]) => this.#checked("time", id, ...origin) === id;
    if (isTimed()) return "time";
    const isDated = this.dated(id, nowMs) === id || this.dated(id, nowMs - DATED_MS) === id;
    return isDated ? "request" : isTimed(FOR_GATE) ? "gate" : null;
  }

  #checked(origin: Exclude<Origin, "gate">, id: string, ...dated: readonly number[]): string {
    const head = id.slice(0, CHECK_FROM);
    const tail = id.slice(CHECK_TO);
    const [check] = this.#checks[origin].ofText(head + tail, ...dated);
    return head + lettersOf(check, CHECK_TO - CHECK_FROM) + tail;
  }
}

/** Returns whether two ids are of one fingerprint under one request id, whenever it was decided. */
export function hasSameFingerprint(one: string, other: string): boolean {
  return fingerprintPart(one) === fingerprintPart(other);
}

/**
 * Returns what all ids of a fingerprint under a request id have in common. No two ids without a request id have it in
 * common.
 */
export function fingerprintPart(id: string): string {
  return id.slice(0, CHECK_FROM) + id.slice(CHECK_TO);
}

/** Returns whether two ids belong to one request, whatever was asked. */
export function isSameRequest(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  // From the end: ids that are compared in long lists differ there, and no part of them is copied.
  for (let at = one.length - 1; at >= FINGERPRINT_TO; at -= 1) {
    if (at >= CHECK_FROM && at < CHECK_TO) continue;
    if (one.charCodeAt(at) !== other.charCodeAt(at)) return false;
  }
  return true;
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
export function reservationTime(id: string): number {
  return timeOf(id.slice(PREFIX.length));
}
