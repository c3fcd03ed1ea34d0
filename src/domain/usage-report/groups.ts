import { ScratchArray } from "../run/segment/scratch-array.ts";
import { codeOf } from "./run-sums.ts";

/** One grouping of a row group. */
export interface Key {
  /** By run, a place in `shared`. Null means 0 for all runs. */
  readonly places: Int32Array | null;
  /** Numbers that mean the same in all row groups. */
  readonly shared: Int32Array;
}

/** Up to so many combinations, their groups are found in a list. */
const MOST_LISTED = 65_536;
const UNKNOWN = -1;

/** Finds the groups of the runs of one row group after another. */
export class Groups {
  readonly #groups = new ScratchArray();
  readonly #listed = new ScratchArray();

  /**
   * The group of each run; -1 for those that are left out. Each combination of places is looked up once. Good until the next
   * row group.
   */
  in(keys: readonly Key[], isIn: Uint8Array, groupOf: (code: number) => number): Int32Array {
    const groups = this.#groups.take(isIn.length).fill(-1);
    const lookUp = (run: number) => {
      let code = 0;
      for (const { places, shared } of keys) code = codeOf(code, shared[places?.[run] ?? 0] ?? 0);
      return groupOf(code);
    };
    const { codes, combinations } = codesOf(keys, isIn.length);
    if (codes === null) return sameGroup(groups, isIn, lookUp);
    const listed = combinations <= MOST_LISTED ? this.#listed.take(combinations).fill(UNKNOWN) : null;
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
}

function sameGroup(groups: Int32Array, isIn: Uint8Array, lookUp: (run: number) => number): Int32Array {
  const first = isIn.indexOf(1);
  if (first === -1) return groups;
  const group = lookUp(first);
  for (let run = first; run < groups.length; run += 1) if (isIn[run] === 1) groups[run] = group;
  return groups;
}

/** The places of each run as one number. Null if all runs have the same. */
function codesOf(
  keys: readonly Key[],
  length: number,
): { readonly codes: ArrayLike<number> | null; readonly combinations: number } {
  const varied = keys.filter(({ places }) => places !== null);
  const [first, ...others] = varied;
  if (first === undefined || first.places === null) return { codes: null, combinations: 1 };
  if (others.length === 0) return { codes: first.places, combinations: first.shared.length };
  const codes = Float64Array.from(first.places);
  let combinations = first.shared.length;
  for (const { places, shared } of others) {
    const size = shared.length;
    for (let run = 0; run < length; run += 1) codes[run] = (codes[run] ?? 0) * size + (places?.[run] ?? 0);
    combinations *= size;
  }
  return { codes, combinations };
}
