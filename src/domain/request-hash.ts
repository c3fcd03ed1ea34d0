import { createHmac } from "node:crypto";
import { ALPHABET } from "./ulid.ts";

/**
 * Names a request id, alike wherever the request is decided: here, in another isolate or by the object. Called on the hot
 * path: a keyed mix of four lanes rather than a digest; the key is the org's own and secret, so nobody can aim for a
 * collision.
 */
export class RequestNames {
  readonly #seed: readonly [number, number, number, number];

  constructor(pepper: string, orgId: string) {
    const bytes = createHmac("sha256", pepper).update(`request names of ${orgId}`).digest();
    this.#seed = [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)];
  }

  /** 26 characters, in the shape of a ULID. */
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
      // Five characters of each of the last rounds' lanes, six of the first: 26, the first of them at most 7.
      const lane = round % 2 === 0 ? a ^ c : b ^ d;
      for (let part = 0; part < (round === 0 ? 6 : 5); part += 1) {
        const bits = (lane >>> (part * 5)) & 31;
        codes.push(ALPHABET[codes.length === 0 ? bits & 7 : bits] ?? 0);
      }
    }
    return String.fromCharCode(...codes);
  }
}
