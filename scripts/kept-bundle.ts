import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./worker-config.ts";

export interface Made {
  readonly text: string;
  /** The files it was made from, relative to the project. */
  readonly from: readonly string[];
}

interface Kept {
  readonly text: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** They decide which files an import means. */
const ALWAYS = ["scripts/bundle.ts", "package.json", "tsconfig.json", "node_modules/.package-lock.json"];

/** The clock that stamps files is behind the other by as much. */
const COARSE_MS = 20;

/**
 * The bundle of the start before, unless a file that it was made from has changed since. Bundling is half of the work
 * of a start. A bundle that cannot be kept is made again at the next start.
 */
export async function keptBundle(
  name: string,
  make: () => Promise<Made>,
  folder = join(ROOT, "node_modules/.cache/bundles"),
): Promise<string> {
  const file = join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 16)}.json`);
  const kept = read(file);
  if (kept !== null) return kept;
  const begun = Date.now();
  const { text, from } = await make();
  const marks = marksOf([...from, ...ALWAYS]);
  // A file that changed meanwhile may be in the bundle as it was before.
  const isCurrent = Object.values(marks).every((mark) => Number.parseFloat(mark) < begun - COARSE_MS);
  if (isCurrent) write(file, { text, marks });
  return text;
}

function read(file: string): string | null {
  try {
    const { text, marks } = JSON.parse(readFileSync(file, "utf8")) as Kept;
    const now = marksOf(Object.keys(marks));
    return Object.entries(marks).every(([path, mark]) => now[path] === mark) ? text : null;
  } catch {
    return null;
  }
}

/** Each write to a file changes the time of its last change, whatever else is set. */
function marksOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => {
      const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
      return [path, stat === undefined ? "0" : `${stat.ctimeMs} ${stat.size}`];
    }),
  );
}

function write(file: string, kept: Kept): void {
  const partial = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(partial, JSON.stringify(kept));
    renameSync(partial, file);
  } catch {
    // A project on a read-only disk starts as well, and bundles each time.
  }
}
