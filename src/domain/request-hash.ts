import { createHmac } from "node:crypto";
import { ALPHABET } from "./id-letters.ts";

/** The bytes that the names of an org are made with. */
export function requestNamesKey(pepper: string, orgId: string): Buffer {
  return createHmac("sha256", pepper).update(`request names of ${orgId}`).digest().subarray(0, 16);
}

/**
 * A keyed hash of a request id. It is the same wherever the request is decided: in any isolate or by the object. It
 * runs on the hot path, so it mixes four lanes instead of computing a digest. The key is the org's own and secret, so
 * no one can cause a collision on purpose.
 */
export class RequestNames {
  readonly #seed: readonly [number, number, number, number];

  constructor(bytes: Buffer) {
    this.#seed = [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)];
  }

  /** 26 characters, in the form of a ULID. */
  of(requestId: string): string {
    let [a, b, c, d] = this.#seed;
    for (let index = 0; index < requestId.length; index += 1) {
      const code = requestId.charCodeAt(index);
      a = Math.imul(a ^ code, 0x85ebca6b) + d;
      b = Math.imul(b ^ code ^ (a >>> 15), 0xc2b2ae35) + a;
      c = Math.imul(c ^ code ^ (b >>> 13), 0x27d4eb2f) + b;
      d = Math.imul(d ^ code ^ (c >>> 16), 0x165667b1) + c;
    }
    const codes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      a = Math.imul(a ^ (a >>> 16) ^ d, 0x7feb352d) + round;
      b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b);
      c = Math.imul(c ^ (c >>> 16) ^ b, 0x68e31da4 | 1);
      d = Math.imul(d ^ (d >>> 14) ^ c, 0xb5297a4d);
      // Five characters from each lane of the last rounds and six from the first: 26, the first of them at most 7.
      const lane = round % 2 === 0 ? a ^ c : b ^ d;
      for (let part = 0; part < (round === 0 ? 6 : 5); part += 1) {
        const bits = (lane >>> (part * 5)) & 31;
        codes.push(ALPHABET[codes.length === 0 ? bits & 7 : bits] ?? 0);
      }
    }
    return String.fromCharCode(...codes);
  }
}
