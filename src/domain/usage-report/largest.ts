/** So many numbers more than are asked for are sorted at once, so that sorting is rare. */
const SORTED_AT_ONCE = 1000;

/**
 * The smallest of the `most` largest numbers; if there are fewer, less than any of them. Few of many names are asked for, so
 * most numbers are only looked at.
 */
export function leastOfLargest(sizes: readonly number[], most: number): number {
  let largest: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  const cut = () => {
    largest = Array.from(Float64Array.from(largest).sort().slice(-most));
    if (largest.length === most) least = largest[0] ?? least;
  };
  for (const size of sizes) {
    if (size <= least) continue;
    largest.push(size);
    if (largest.length === most + SORTED_AT_ONCE) cut();
  }
  cut();
  return least;
}
