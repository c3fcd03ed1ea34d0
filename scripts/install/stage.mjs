import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { INSTALLED, LOCK, singleFiles } from "./wanted.mjs";

/** npm puts the configured registry in its place. */
const REGISTRY = "https://registry.npmjs.org";
/** What a package keeps of which one file is used. */
const ALWAYS_KEPT = ["package.json", "LICENSE"];
/** The file that names the process that installs. */
export const OWNER = "pid";
/** The folder for what is not kept: the rest of packages with a single file, and what was installed before. */
export const REMOVED = "removed";
/** They outlive an install. */
const KEPT_FOLDERS = [".install", ".cache"];

/**
 * Installs beside what is installed, and then puts all of it in place. The lock file names no address to download from, and
 * npm would read everything that was ever published of each package to find it; here each package has its address.
 *
 * @param {import("./wanted.mjs").Wish} wish
 */
export async function install(root, wish) {
  const folder = join(root, "node_modules/.install");
  const singles = singleFiles(root, wish);
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeProject(root, folder, singles);
  const isDone = await npmCi(folder, wish);
  if (isDone) {
    mkdirSync(join(folder, REMOVED));
    for (const [name, { file }] of singles) keepOnly(folder, name, file);
    putInPlace(root, folder);
  }
  // A thousand folders take their time. Whoever waits hears of it meanwhile, and no other install begins.
  for (const name of readdirSync(folder)) {
    if (name !== OWNER) await rm(join(folder, name), { recursive: true, force: true });
  }
  await rm(folder, { recursive: true, force: true });
  return isDone;
}

/** The project as package.json and the lock file have it, with the packages of which one file is used. */
function writeProject(root, folder, singles) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const lock = JSON.parse(readFileSync(join(root, LOCK), "utf8"));
  const asked = Object.fromEntries(singles.map(([name, { version }]) => [name, version]));
  for (const [name, { version, integrity, bin }] of singles) {
    lock.packages[`node_modules/${name}`] = { version, integrity, bin };
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path !== "")
      entry.resolved = addressOf(entry.name ?? path.split("node_modules/").at(-1), entry.version);
  }
  const whole = lock.packages[""];
  whole.dependencies = { ...whole.dependencies, ...asked };
  const { scripts: _, ...rest } = manifest;
  const project = { ...rest, dependencies: { ...manifest.dependencies, ...asked } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  writeFileSync(join(folder, LOCK), JSON.stringify(lock));
  if (existsSync(join(root, ".npmrc"))) copyFileSync(join(root, ".npmrc"), join(folder, ".npmrc"));
}

function addressOf(name, version) {
  return `${REGISTRY}/${name}/-/${basename(name)}-${version}.tgz`;
}

/** What was installed needs no script of its own to be complete, so none is run. */
function npmCi(folder, { set }) {
  const sets = set === "run" ? "--omit=dev" : "--include=dev";
  const args = ["ci", "--prefix", folder, sets, "--include=optional", "--ignore-scripts", "--loglevel=error"];
  const npm = spawn("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve) => {
    npm.once("error", () => resolve(false));
    npm.once("close", (status) => resolve(status === 0));
  });
}

function keepOnly(folder, name, file) {
  const whole = join(folder, REMOVED, `all of ${basename(name)}`);
  const kept = join(folder, "node_modules", name);
  renameSync(kept, whole);
  for (const path of [...ALWAYS_KEPT, file]) {
    if (!existsSync(join(whole, path))) continue;
    mkdirSync(dirname(join(kept, path)), { recursive: true });
    renameSync(join(whole, path), join(kept, path));
  }
}

/** What was there before moves out of the way, to be removed with the folder. */
function putInPlace(root, folder) {
  const modules = join(root, "node_modules");
  const made = join(folder, "node_modules");
  const record = basename(INSTALLED);
  rmSync(join(root, INSTALLED), { force: true });
  for (const name of readdirSync(modules)) {
    if (!KEPT_FOLDERS.includes(name)) renameSync(join(modules, name), join(folder, REMOVED, name));
  }
  const names = readdirSync(made).filter((name) => name !== record);
  for (const name of [...names, record]) renameSync(join(made, name), join(modules, name));
}
