import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedManifest } from "../../scripts/package/manifest.ts";
import { buildModules } from "../../scripts/package/modules.ts";
import { makeFolder } from "./folder.ts";

/** A folder with the package installed in it, as whoever uses it has it. */
export async function installedPackage(): Promise<{ path: string; remove: () => void }> {
  const folder = makeFolder();
  const installed = join(folder.path, "node_modules/sluice");
  mkdirSync(installed, { recursive: true });
  await buildModules(join(installed, "dist"));
  writeFileSync(join(installed, "package.json"), publishedManifest(readFileSync("package.json", "utf8")));
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
  cpSync("test/support/gate-process.mjs", join(folder.path, "gate-process.mjs"));
  return folder;
}
