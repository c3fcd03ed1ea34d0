/** Two 32-bit words that callers do not know. */
export type HashKey = readonly [number, number];

/** Rounds for each word and at the end. */
interface Rounds {
  readonly each: number;
  readonly last: number;
}

/** The words of the message at hand. Shared, because hashing is synchronous and an array of its own for each costs more. */
let words = new Int32Array(1024);
/** The second half of the last hash. */
let secondHalf = 0;

/** A buffer of at least `count` words to write the message into. The next call reuses it. */
export function messageOf(count: number): Int32Array {
  if (count > words.length) words = new Int32Array(2 * count);
  return words;
}

/**
 * HalfSipHash-1-3 of the first words, the last of which tells their number: 32 bits that no one can aim at without the key.
 * Enough where what is found by it is compared.
 */
export function shortHash([low, high]: HashKey, count: number): number {
  return hash([low | 0, high | 0], count, { each: 1, last: 3 }, false);
}

/**
 * HalfSipHash-2-4 of the first words, 64 bits. Without the key, no one can compute the hash of a message, even after seeing
 * many others.
 */
export function longHash(key: HashKey, count: number): [low: number, high: number] {
  messageOf(count + 1)[count] = count << 26;
  return [hash(key, count + 1, { each: 2, last: 4 }, true), secondHalf];
}

/** In local variables: fields that hold 32 bits are allocated anew each time they are set. */
function hash([keyLow, keyHigh]: HashKey, count: number, { each, last }: Rounds, isLong: boolean): number {
  let a = keyLow;
  let b = isLong ? keyHigh ^ 0xee : keyHigh;
  let c = keyLow ^ 0x6c_79_67_65;
  let d = keyHigh ^ 0x74_65_64_62;
  let firstHalf = 0;
  // After the words come the two halves of the result, or the only one.
  const steps = count + (isLong ? 2 : 1);
  for (let step = 0; step < steps; step += 1) {
    const isWord = step < count;
    const word = isWord ? (words[step] ?? 0) : 0;
    if (isWord) d ^= word;
    else if (step === count) c ^= isLong ? 0xee : 0xff;
    else {
      firstHalf = b ^ d;
      b ^= 0xdd;
    }
    for (let round = isWord ? each : last; round > 0; round -= 1) {
      a = (a + b) | 0;
      b = ((b << 5) | (b >>> 27)) ^ a;
      a = (a << 16) | (a >>> 16);
      c = (c + d) | 0;
      d = ((d << 8) | (d >>> 24)) ^ c;
      a = (a + d) | 0;
      d = ((d << 7) | (d >>> 25)) ^ a;
      c = (c + b) | 0;
      b = ((b << 13) | (b >>> 19)) ^ c;
      c = (c << 16) | (c >>> 16);
    }
    if (isWord) a ^= word;
  }
  secondHalf = b ^ d;
  return isLong ? firstHalf : secondHalf;
}
