import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { isRun } from "./lean.mjs";
import { unpack } from "./tarball.mjs";

/** What is kept of a package of which one file is used. */
export const ALWAYS_KEPT = ["package.json", "LICENSE"];
/** Each is decompressed in a thread of its own. */
const AT_ONCE = 4;

/**
 * Unpacks packages from npm's cache, where each tarball has the name of its digest. False if npm has not named its cache, if
 * a tarball is not there, or if one cannot be read: npm can do the same, and more.
 *
 * @param {[string, import("./wanted.mjs").Locked & { file?: string }][]} packages
 * @param {string} folder
 */
export async function unpackFromCache(packages, folder, cache = process.env["npm_config_cache"]) {
  if (!cache) return false;
  const waiting = packages.map(([path, entry]) => ({ path, entry, file: tarballIn(cache, entry) }));
  if (!waiting.every(({ file }) => existsSync(file))) return false;
  const unpackSome = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await unpackOne(folder, next);
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, unpackSome));
  return ended.every(({ status }) => status === "fulfilled");
}

async function unpackOne(folder, { path, entry, file }) {
  await unpack({ file, integrity: entry.integrity }, join(folder, path), wants(entry));
  linkCommands(folder, path, entry);
}

function tarballIn(cache, { integrity = "" }) {
  const [algorithm, digest = ""] = integrity.split("-");
  const hex = Buffer.from(digest, "base64").toString("hex");
  return join(cache, "_cacache/content-v2", algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
}

function wants({ file }) {
  return file === undefined ? isRun : (path) => path === file || ALWAYS_KEPT.includes(path);
}

/** Makes a package's commands executable, and links them where npm does. */
function linkCommands(folder, path, { bin = {} }) {
  const commands = join(folder, path.slice(0, path.lastIndexOf("node_modules")), "node_modules/.bin");
  for (const [name, file] of Object.entries(bin)) {
    const program = join(folder, path, file);
    if (!existsSync(program)) continue;
    chmodSync(program, 0o755);
    mkdirSync(commands, { recursive: true });
    symlinkSync(relative(commands, program), join(commands, name));
  }
}
