/**
 * Runs around `npm pack`: builds `dist`, and has package.json name only what the package has while it is packed. Where a
 * pack was interrupted, the next one begins by putting package.json back.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Complaint, run } from "./complaint.ts";
import { publishedManifest } from "./package/manifest.ts";
import { ROOT } from "./worker-config.ts";

const MANIFEST = join(ROOT, "package.json");
const SAVED = join(ROOT, "package.json.saved");

await run(() => {
  restore();
  if (process.argv[2] !== "begin") return;
  const built = spawnSync(process.execPath, [join(ROOT, "scripts/build.ts")], { stdio: ["ignore", 2, 2] });
  if (built.status !== 0) throw new Complaint("the build failed: see its message above");
  const text = readFileSync(MANIFEST, "utf8");
  writeFileSync(SAVED, text);
  writeFileSync(MANIFEST, publishedManifest(text));
});

/** A package.json that was changed since is left as it is. */
function restore(): void {
  if (!existsSync(SAVED)) return;
  const saved = readFileSync(SAVED, "utf8");
  if (readFileSync(MANIFEST, "utf8") === publishedManifest(saved)) writeFileSync(MANIFEST, saved);
  rmSync(SAVED);
}
