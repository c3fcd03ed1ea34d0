import { createHmac } from "node:crypto";
import { KeyedHash } from "../bytes/keyed-hash.ts";
import { lettersOf } from "../bytes/ulid.ts";

/** The bytes that the names of an org are made with. */
export function requestNamesKey(pepper: string, orgId: string): Buffer {
  return createHmac("sha256", pepper).update(`request names of ${orgId}`).digest().subarray(0, 16);
}

/**
 * A keyed hash of a request id. It is the same wherever the request is decided: in any isolate or by the object. The key is
 * the org's own and secret, so no one can cause a collision on purpose.
 */
export class RequestNames {
  readonly #first: KeyedHash;
  readonly #second: KeyedHash;

  constructor(bytes: Buffer) {
    this.#first = KeyedHash.of(bytes.subarray(0, 8));
    this.#second = KeyedHash.of(bytes.subarray(8, 16));
  }

  /** 26 characters, in the form of a ULID: the first of them is at most 7. */
  of(requestId: string): string {
    const [a, b] = this.#first.ofText(requestId);
    const [c, d] = this.#second.ofText(requestId);
    const rest = ((b >>> 31) << 4) | ((c >>> 30) << 2) | (d >>> 30);
    const letters = lettersOf(a, 6) + lettersOf(b, 6) + lettersOf(c, 6) + lettersOf(d, 6);
    return lettersOf(a >>> 29, 1) + letters + lettersOf(rest, 1);
  }
}
