import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, devOptional?: boolean, optional?: boolean, name?: string,
 *   os?: string | string[], cpu?: string | string[], libc?: string[], bin?: Record<string, string>, resolved?: string }} Locked
 * @typedef {Locked & { file: string }} SingleFile A package of which one file is kept, and none of its dependencies.
 * @typedef {{ set: "run" | "all", platform: string, arch: string, hasNode: boolean }} Wish
 */

/** npm's own record of what it installed. It is put in place last, so an interrupted install has none. */
export const INSTALLED = "node_modules/.package-lock.json";
export const LOCK = "package-lock.json";
const SINGLE_FILES = "scripts/install/single-files.json";

/** @returns {Record<string, Locked>} */
function packagesIn(root, file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

function isFor({ os, cpu }, { platform, arch }) {
  return (!os || [os].flat().includes(platform)) && (!cpu || [cpu].flat().includes(arch));
}

/** @param {Locked} entry @param {Wish} wish */
function belongsHere(entry, wish) {
  if (wish.set === "run" && (entry.dev || entry.devOptional)) return false;
  if (!entry.optional) return true;
  // An optional package without a platform is a fallback for machines that have no build of their own.
  if (!entry.os || !entry.cpu || entry.libc) return false;
  return isFor(entry, wish);
}

/**
 * The packages of which one file is used: the reference's program, whose package has 230 dependencies, and Node, where the
 * installed one is too old.
 *
 * @param {Wish} wish @returns {[string, SingleFile][]}
 */
export function singleFiles(root, wish) {
  const all = Object.entries(JSON.parse(readFileSync(join(root, SINGLE_FILES), "utf8")));
  return all.filter(([, entry]) => isFor(entry, wish) && !(wish.hasNode && entry.bin?.node));
}

/** Everything that must be installed here, by its path. @param {Wish} wish @returns {[string, Locked][]} */
export function wantedPackages(root, wish) {
  const locked = Object.entries(packagesIn(root, LOCK)).filter(
    ([path, entry]) => path !== "" && belongsHere(entry, wish),
  );
  return [...locked, ...singleFiles(root, wish).map(([name, entry]) => [`node_modules/${name}`, entry])];
}

/** Whether everything that is wanted is installed, in exactly that version. */
export function isInstalled(root, wanted) {
  const installed = packagesIn(root, INSTALLED);
  return wanted.every(([path, { version, integrity, file = "" }]) => {
    const found = installed[path];
    return found?.version === version && found?.integrity === integrity && existsSync(join(root, path, file));
  });
}

/** Whether this version of Node runs TypeScript files as they are. */
export function runsTypeScript(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/** Whether the machine has a Node of its own that will do. The one that an earlier install brought does not count. */
export function hasNode(root, { versions, execPath } = process) {
  return runsTypeScript(versions.node) && !execPath.startsWith(join(root, "node_modules") + sep);
}
