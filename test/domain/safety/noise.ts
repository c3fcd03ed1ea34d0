/** A text of two letters in an order that never repeats, so most of its characters lead a pattern to a new state. */
export function noise(length: number): string {
  let seed = 1;
  let text = "";
  for (let at = 0; at < length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    text += (seed & 0x1_00_00) === 0 ? "a" : "é";
  }
  return text;
}
