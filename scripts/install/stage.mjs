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
import { ALWAYS_KEPT, unpackFromCache } from "./cache.mjs";
import { makeLean } from "./lean.mjs";
import { INSTALLED, LOCK, singleFiles, wantedPackages } from "./wanted.mjs";

/** npm puts the configured registry in its place. */
const REGISTRY = "https://registry.npmjs.org";
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
/** What an install that was ended may leave behind. */
const LEFT_BEHIND = [...Object.values(PARTS), REMOVED];

/**
 * Installs beside what is installed, and then puts all of it in place. The lock file names no address to download from, and
 * npm would read everything that was ever published of each package to find it; here each package has its address.
 *
 * @param {import("./wanted.mjs").Wish} wish
 */
export async function install(root, wish) {
  const folder = join(root, "node_modules/.install");
  for (const name of LEFT_BEHIND) rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isDone = (await stageFromCache(root, folder, wish)) || (await stageWithNpm(root, folder, wish));
  if (isDone) {
    mkdirSync(join(folder, REMOVED));
    if (wish.set === "run") makeLean(join(folder, PARTS.packages, "node_modules"));
    putInPlace(root, folder);
  }
  // A thousand folders take their time. Whoever waits hears of it meanwhile, and no other install begins.
  for (const name of LEFT_BEHIND) await rm(join(folder, name), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
  return isDone;
}

/**
 * Four times as fast as npm, which unpacks every file of every package. The whole set has builds that only npm can choose
 * between.
 */
async function stageFromCache(root, folder, wish) {
  if (wish.set !== "run") return false;
  const part = join(folder, PARTS.packages);
  const packages = wantedPackages(root, wish);
  const isDone = await unpackFromCache(packages, part);
  if (isDone)
    writeFileSync(join(part, INSTALLED), JSON.stringify({ packages: Object.fromEntries(packages) }));
  else rmSync(part, { recursive: true, force: true });
  return isDone;
}

async function stageWithNpm(root, folder, wish) {
  const singles = singleFiles(root, wish);
  writeProject(root, join(folder, PARTS.packages), projectOf(root, wish));
  writeProject(root, join(folder, PARTS.singles), projectWith(singles));
  const done = await Promise.all(Object.values(PARTS).map((part) => npmCi(join(folder, part), wish)));
  if (!done.every(Boolean)) return false;
  for (const [name, single] of singles) keepOnly(folder, name, single);
  const record = recordOf(folder);
  writeFileSync(join(folder, PARTS.packages, INSTALLED), JSON.stringify(record));
  return true;
}

/** The project as package.json and the lock file have it. To run, it has no packages but those that are wanted. */
function projectOf(root, wish) {
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const lock = JSON.parse(readFileSync(join(root, LOCK), "utf8"));
  if (wish.set !== "run") return { manifest, lock };
  const { devDependencies: __, ...runManifest } = manifest;
  const { devDependencies: ___, ...runProject } = lock.packages[""];
  const wanted = wantedPackages(root, wish).filter(([path]) => path in lock.packages);
  const packages = Object.fromEntries(wanted.map(([path, entry]) => [path, withOptional(entry, wanted)]));
  return { manifest: runManifest, lock: { ...lock, packages: { "": runProject, ...packages } } };
}

/** The entry with those of its optional packages that are wanted. npm would miss the others. */
function withOptional({ optionalDependencies = {}, ...entry }, wanted) {
  const names = new Set(wanted.map(([path]) => nameOf(path)));
  const kept = Object.entries(optionalDependencies).filter(([name]) => names.has(name));
  return { ...entry, optionalDependencies: Object.fromEntries(kept) };
}

function nameOf(path) {
  return path.split("node_modules/").at(-1);
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
    if (path !== "") entry.resolved = addressOf(entry.name ?? nameOf(path), entry.version);
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
  rmSync(join(root, INSTALLED), { force: true });
  for (const name of readdirSync(modules)) {
    if (!KEPT_FOLDERS.includes(name)) renameSync(join(modules, name), join(folder, REMOVED, name));
  }
  for (const name of readdirSync(made)) {
    if (name !== basename(INSTALLED)) renameSync(join(made, name), join(modules, name));
  }
  renameSync(join(made, basename(INSTALLED)), join(root, INSTALLED));
}

/** npm's record of both parts as one. */
function recordOf(folder) {
  const [of, ofSingles] = Object.values(PARTS).map((part) =>
    JSON.parse(readFileSync(join(folder, part, INSTALLED), "utf8")),
  );
  return { ...of, packages: { ...of.packages, ...ofSingles.packages } };
}
