/** What an application keeps with a run. A page of 200 runs, each with this much, still travels in one piece. */
const MOST_CHARACTERS = 65_536;

export const METADATA_BOUND = `must be at most ${MOST_CHARACTERS / 1024} KiB of JSON`;

export function fitsMetadata(value: object): boolean {
  return JSON.stringify(value).length <= MOST_CHARACTERS;
}
