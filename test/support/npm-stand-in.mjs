#!/usr/bin/env node
/** Stands in for npm: `npm ci` takes the packages that it is asked for from a folder that has them, and no others. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const args = process.argv.slice(2);
const folder = args[args.indexOf("--prefix") + 1];
const from = process.env.NPM_TAKES_FROM;
const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
const isWanted = ([path, entry]) =>
  path !== "" && !(args.includes("--omit=dev") && entry.dev) && existsSync(join(from, path));
const wanted = Object.entries(packages).filter(isWanted);
/** Packages within a package are packages of the lock file. Without a filter, copying is native. */
const alone = (path) =>
  existsSync(join(path, "node_modules")) ? { filter: (each) => !each.endsWith("/node_modules") } : {};
for (const [path, { bin = {} }] of wanted) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(join(from, path), join(folder, path), { recursive: true, ...alone(join(from, path)) });
  if (bin.node === undefined) continue;
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(join("../..", path, bin.node), join(folder, "node_modules/.bin/node"));
}
writeFileSync(
  join(folder, "node_modules/.package-lock.json"),
  JSON.stringify({ packages: Object.fromEntries(wanted) }),
);
