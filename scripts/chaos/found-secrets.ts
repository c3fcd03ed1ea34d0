import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const MOST_READINGS = 20;
const PIECE = 20;

/**
 * Where a secret is in plain text, searched in pieces, because a record may be split over pages. `secrets` names each by what it
 * is.
 */
export function foundSecrets(secrets: ReadonlyMap<string, string>, files: () => readonly string[]): string[] {
  const contents = contentsOf(files);
  return [...secrets].flatMap(([secret, what]) => {
    const pieces = [secret.slice(-2 * PIECE, -PIECE), secret.slice(-PIECE)].filter(
      ({ length }) => length === PIECE,
    );
    const hits = contents.filter(([, content]) => pieces.some((piece) => content.includes(piece)));
    return hits.map(([file]) => `${what} in ${file}`);
  });
}

/**
 * Every file with the words in it that could contain a piece of a secret. Most of a database is empty pages and short
 * words. An object that goes to rest moves its log into its database and removes it, so all is read again.
 */
function contentsOf(
  files: () => readonly string[],
  readings = 1,
): (readonly [file: string, words: string])[] {
  try {
    // What ends in -shm is made of the database beside it, and gone when its object is.
    const kept = files().filter((file) => !file.endsWith("-shm"));
    return kept.map((file) => {
      const words = readFileSync(file, "latin1").match(/[\w+/=-]{20,}/g) ?? [];
      return [file, [...new Set(words)].join(" ")];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || readings === MOST_READINGS) throw error;
    return contentsOf(files, readings + 1);
  }
}

export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile());
}
