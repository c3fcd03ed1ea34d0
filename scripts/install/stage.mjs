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
 * npm unpacks in one thread, and the packages of which one file is used bring thousands of files, so they are unpacked beside
 * the others.
 */
export const PARTS = { packages: "packages", singles: "singles" };

/**
 * Installs beside what is installed, and then puts all of it in place. The lock file names no address to download from, and
 * npm would read everything that was ever published of each package to find it; here each package has its address.
 *
 * @param {import("./wanted.mjs").Wish} wish
 */
export async function install(root, wish) {
  const folder = join(root, "node_modules/.install");
  const singles = singleFiles(root, wish);
  for (const part of Object.values(PARTS)) rmSync(join(folder, part), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeProject(root, join(folder, PARTS.packages), projectOf(root));
  writeProject(root, join(folder, PARTS.singles), projectWith(singles));
  const done = await Promise.all(Object.values(PARTS).map((part) => npmCi(join(folder, part), wish)));
  const isDone = done.every(Boolean);
  if (isDone) {
    mkdirSync(join(folder, REMOVED));
    for (const [name, single] of singles) keepOnly(folder, name, single);
    putInPlace(root, folder);
  }
  // A thousand folders take their time. Whoever waits hears of it meanwhile, and no other install begins.
  for (const name of readdirSync(folder)) {
    if (name !== OWNER) await rm(join(folder, name), { recursive: true, force: true });
  }
  await rm(folder, { recursive: true, force: true });
  return isDone;
}

/** The project as package.json and the lock file have it. */
function projectOf(root) {
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return { manifest, lock: JSON.parse(readFileSync(join(root, LOCK), "utf8")) };
}

/** A project that has only the packages of which one file is used, and none of their dependencies. */
function projectWith(singles) {
  const manifest = {
    name: "singles",
    version: "0.0.0",
    dependencies: Object.fromEntries(singles.map(([name, { version }]) => [name, version])),
  };
  const packages = singles.map(([name, { version, integrity, bin }]) => [
    `node_modules/${name}`,
    { version, integrity, bin },
  ]);
  const lock = { lockfileVersion: 3, packages: { "": manifest, ...Object.fromEntries(packages) } };
  return { manifest, lock };
}

function writeProject(root, folder, { manifest, lock }) {
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path !== "")
      entry.resolved = addressOf(entry.name ?? path.split("node_modules/").at(-1), entry.version);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
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

/** Moves what is used of a package to the others. */
function keepOnly(folder, name, { file, bin = {} }) {
  const [to, from] = Object.values(PARTS).map((part) => join(folder, part, "node_modules"));
  const files = [...ALWAYS_KEPT, file].map((path) => join(name, path));
  const commands = Object.keys(bin).map((command) => join(".bin", command));
  for (const path of [...files, ...commands].filter((each) => existsSync(join(from, each)))) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    renameSync(join(from, path), join(to, path));
  }
}

/** What was there before moves out of the way, to be removed with the folder. */
function putInPlace(root, folder) {
  const modules = join(root, "node_modules");
  const made = join(folder, PARTS.packages, "node_modules");
  const record = recordOf(folder);
  rmSync(join(root, INSTALLED), { force: true });
  for (const name of readdirSync(modules)) {
    if (!KEPT_FOLDERS.includes(name)) renameSync(join(modules, name), join(folder, REMOVED, name));
  }
  for (const name of readdirSync(made)) {
    if (name !== basename(INSTALLED)) renameSync(join(made, name), join(modules, name));
  }
  writeFileSync(join(root, INSTALLED), JSON.stringify(record));
}

/** npm's record of both parts as one. */
function recordOf(folder) {
  const [of, ofSingles] = Object.values(PARTS).map((part) =>
    JSON.parse(readFileSync(join(folder, part, INSTALLED), "utf8")),
  );
  return { ...of, packages: { ...of.packages, ...ofSingles.packages } };
}
