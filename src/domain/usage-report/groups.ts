/** One grouping of a frame: by run a number within the frame. */
export interface Key {
  /** Null: 0 for all runs. */
  readonly numbers: Int32Array | null;
  readonly size: number;
  /** What the number stands for, by a number that all frames share. */
  readonly numberOf: (number: number) => number;
}

/** Up to so many combinations, their groups are found in a list. */
const MOST_LISTED = 65_536;
const UNKNOWN = -1;

/** The group of each run; -1 for those that are left out. Each combination of numbers is looked up once. */
export function groupsIn(
  keys: readonly Key[],
  isIn: Uint8Array,
  groupOf: (numbers: readonly number[]) => number,
): Int32Array {
  const groups = new Int32Array(isIn.length).fill(-1);
  const lookUp = (run: number) =>
    groupOf(keys.map(({ numbers, numberOf }) => numberOf(numbers === null ? 0 : (numbers[run] ?? 0))));
  const { codes, combinations } = codesOf(keys, isIn.length);
  if (codes === null) return sameGroup(groups, isIn, lookUp);
  const listed = combinations <= MOST_LISTED ? new Int32Array(combinations).fill(UNKNOWN) : null;
  const mapped = new Map<number, number>();
  for (let run = 0; run < groups.length; run += 1) {
    if (isIn[run] !== 1) continue;
    const code = codes[run] ?? 0;
    let group = listed === null ? (mapped.get(code) ?? UNKNOWN) : (listed[code] ?? UNKNOWN);
    if (group === UNKNOWN) {
      group = lookUp(run);
      if (listed === null) mapped.set(code, group);
      else listed[code] = group;
    }
    groups[run] = group;
  }
  return groups;
}

function sameGroup(groups: Int32Array, isIn: Uint8Array, lookUp: (run: number) => number): Int32Array {
  const first = isIn.indexOf(1);
  if (first === -1) return groups;
  const group = lookUp(first);
  for (let run = first; run < groups.length; run += 1) if (isIn[run] === 1) groups[run] = group;
  return groups;
}

/** The numbers of each run as one number. Null: all runs have the same. */
function codesOf(
  keys: readonly Key[],
  length: number,
): { readonly codes: ArrayLike<number> | null; readonly combinations: number } {
  const varied = keys.filter(({ numbers }) => numbers !== null);
  const [first, ...others] = varied;
  if (first === undefined || first.numbers === null) return { codes: null, combinations: 1 };
  if (others.length === 0) return { codes: first.numbers, combinations: first.size };
  const codes = Float64Array.from(first.numbers);
  let combinations = first.size;
  for (const { numbers, size } of others) {
    for (let run = 0; run < length; run += 1) codes[run] = (codes[run] ?? 0) * size + (numbers?.[run] ?? 0);
    combinations *= size;
  }
  return { codes, combinations };
}
