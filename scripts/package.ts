/**
 * Runs around `npm pack`: builds `dist`. While it is packed, package.json names only what the package has, and the README is
 * the package's own. Where a pack was interrupted, the next one begins by putting both back.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, run } from "./complaint.ts";
import { publishedManifest } from "./package/manifest.ts";
import { ROOT } from "./worker-config.ts";

/** The files that are others while the package is packed, each with what it is then. */
const REPLACED: Readonly<Record<string, (text: string) => string>> = {
  "package.json": publishedManifest,
  "README.md": () => readFileSync(join(ROOT, "scripts/package/README.md"), "utf8"),
};

await run(() => {
  restore();
  if (process.argv[2] !== "begin") return;
  const built = spawnSync(process.execPath, [join(ROOT, "scripts/build.ts")], { stdio: ["ignore", 2, 2] });
  if (built.status !== 0) throw new Complaint("the build failed: see its message above");
  for (const [name, replaced] of Object.entries(REPLACED)) {
    const file = join(ROOT, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(savedAs(name), text);
    writeFileSync(file, replaced(text));
  }
});

/** A file that was changed since is left as it is. */
function restore(): void {
  for (const [name, replaced] of Object.entries(REPLACED)) {
    const file = join(ROOT, name);
    if (!existsSync(savedAs(name))) continue;
    const saved = readFileSync(savedAs(name), "utf8");
    if (readFileSync(file, "utf8") === replaced(saved)) writeFileSync(file, saved);
    rmSync(savedAs(name));
  }
}

/** npm packs every file whose name begins with README. */
function savedAs(name: string): string {
  return join(ROOT, `.saved-${name}`);
}
