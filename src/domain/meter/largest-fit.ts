/** Whole numbers, both ends included. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/**
 * The largest number of a range that fits. Null if not even the least does. Whatever is below a number that fits must fit, too:
 * the search looks at some 40 numbers of the longest range.
 */
export function largestFitting({ least, most }: Range, fits: (number: number) => boolean): number | null {
  if (most < least || !fits(least)) return null;
  if (fits(most)) return most;
  let fitting = least;
  let passing = most;
  while (passing - fitting > 1) {
    const middle = Math.floor((fitting + passing) / 2);
    if (fits(middle)) fitting = middle;
    else passing = middle;
  }
  return fitting;
}
