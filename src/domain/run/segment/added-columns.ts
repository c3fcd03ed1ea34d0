import { ByteReader } from "../../bytes/byte-reader.ts";

/**
 * Columns of a row group added up by group, without a value for each run in between. A run of group -1 is left out. These loops
 * see every run that a report is about.
 */

const TOO_SHORT = "stored data ends too early";
/** Numbers below are exact, and so is the sum of two of them. */
export const CARRY = 2 ** 52;

/** Adds each count to the sum of its run's group. */
export function addCounts(bytes: Uint8Array, groups: Int32Array, sums: Float64Array): void {
  let at = 0;
  for (let run = 0; run < groups.length; run += 1) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
    }
    const group = groups[run] ?? -1;
    if (group >= 0) sums[group] = (sums[group] ?? 0) + value;
  }
  if (at > bytes.length) throw new Error(TOO_SHORT);
}

/** A sum of any size: `high` times 2 ** 52, and `low`. */
export interface LargeSums {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Adds each cost to the sum of its run's group, exactly. */
export function addCosts(bytes: Uint8Array, groups: Int32Array, { low, high }: LargeSums): void {
  let at = 0;
  let hasLarge = false;
  for (let run = 0; run < groups.length; run += 1) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
    }
    const group = groups[run] ?? -1;
    if (group < 0) continue;
    if (value >= CARRY) hasLarge = true;
    else addLow(low, high, group, value);
  }
  if (at > bytes.length) throw new Error(TOO_SHORT);
  if (hasLarge) addLargeCosts(bytes, groups, { low, high });
}

/** Adds the costs that a number may not hold exactly. */
function addLargeCosts(bytes: Uint8Array, groups: Int32Array, { low, high }: LargeSums): void {
  const reader = new ByteReader(bytes);
  const carry = BigInt(CARRY);
  for (const group of groups) {
    const cost = reader.amount();
    if (group < 0 || cost < carry) continue;
    high[group] = (high[group] ?? 0) + Number(cost / carry);
    addLow(low, high, group, Number(cost % carry));
  }
}

// oxlint-disable-next-line max-params -- called for every run
function addLow(low: Float64Array, high: Float64Array, group: number, value: number): void {
  const sum = (low[group] ?? 0) + value;
  if (sum < CARRY) {
    low[group] = sum;
    return;
  }
  low[group] = sum - CARRY;
  high[group] = (high[group] ?? 0) + 1;
}

/** Moments, one for each run. */
export function momentsOf(bytes: Uint8Array | undefined, count: number): Float64Array {
  const moments = new Float64Array(count);
  if (bytes === undefined) return moments;
  let at = 0;
  let moment = 0;
  for (let run = 0; run < count; run += 1) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
    }
    moment += value % 2 === 0 ? value / 2 : (value + 1) / -2;
    moments[run] = moment;
  }
  if (at > bytes.length) throw new Error(TOO_SHORT);
  return moments;
}
