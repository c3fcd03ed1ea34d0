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
  /** The digest of each file that it was made from. */
  readonly digests: Readonly<Record<string, string>>;
}

/** They decide which files an import means. */
const ALWAYS = ["scripts/bundle.ts", "package.json", "package-lock.json", "tsconfig.json"];

/** The clock that stamps files is behind the other by as much. */
const COARSE_MS = 20;

/**
 * The bundle of an earlier start, unless a file that it was made from has other content now. Bundling is half of the work
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
  const paths = [...from, ...ALWAYS];
  // A file that changed meanwhile may be in the bundle as it was before.
  const isCurrent = paths.every((path) => changedAt(path) < begun - COARSE_MS);
  if (isCurrent) write(file, { text, digests: digestsOf(paths) });
  return text;
}

function read(file: string): string | null {
  try {
    const { text, digests } = JSON.parse(readFileSync(file, "utf8")) as Kept;
    const now = digestsOf(Object.keys(digests));
    return Object.entries(digests).every(([path, digest]) => now[path] === digest) ? text : null;
  } catch {
    return null;
  }
}

function digestsOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(join(ROOT, path)))
        .digest("base64"),
    ]),
  );
}

/** Each write to a file changes this time, whatever else is set. */
function changedAt(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.ctimeMs ?? 0;
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
