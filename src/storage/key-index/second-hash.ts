import { type HashKey, keyHashOf } from "./key-hash.ts";

const OTHER = 0x3c_6e_f3_72;
const MARK_BITS = 0xff_ff;

/**
 * 16 more bits of an id, beside its number: an archived run is only read from its file where both match, and no other id has
 * both by chance but one in tens of millions.
 */
export function secondHashOf(id: string, [first, second]: HashKey): number {
  return keyHashOf(id, [first ^ OTHER, second ^ ~OTHER]) & MARK_BITS;
}
