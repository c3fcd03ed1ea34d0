/** What `npm run bench` was called with. */

/** The word after an option. Null without it. */
export function after(name: string): string | null {
  const at = process.argv.indexOf(name);
  return at === -1 ? null : (process.argv[at + 1] ?? "");
}

function countAfter(name: string): number | null {
  const text = after(name);
  if (text === null) return null;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${name} takes a number of runs, not '${text}'`);
  return Number(text);
}

/** `--runs 10000000`: how many runs are stored where that counts. */
export const BENCH_RUNS = countAfter("--runs");

/** `--folder path`: where the archive's data stays, so that the same runs can be measured again. */
export const BENCH_FOLDER = after("--folder");

/** `--rows stream`: only rows with this in their name, and what they are compared with. */
export const BENCH_ROWS = after("--rows");

const OPTIONS_WITH_VALUE = ["--runs", "--folder", "--rows", "--alone"];

/** The parts to run. None: all of them. */
export function chosenParts(): string[] {
  const words = process.argv.slice(2);
  return words.filter(
    (word, at) => !word.startsWith("--") && !OPTIONS_WITH_VALUE.includes(words[at - 1] ?? ""),
  );
}

/** Among all other parts, one measures less than by itself. */
export const IS_ONE_OF_ALL = chosenParts().length === 0;
