/**
 * Runs before `npm start` and `npm test`, on the system's Node and before anything is installed. Brings node_modules in
 * line with package-lock.json. Prints nothing if it already is.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** npm's own record of what it installed. It is written last, so an interrupted install has none. */
const INSTALLED = "node_modules/.package-lock.json";
/** The first Node version that runs TypeScript files directly. */
const NODE_MINIMUM = [22, 18];

/** @returns {Record<string, {version?: string, integrity?: string, optional?: boolean, link?: boolean, os?: string | string[], cpu?: string | string[], libc?: string[]}>} */
function packagesOf(root, file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages ?? {};
  } catch {
    return {};
  }
}

function belongsHere(entry, platform, arch) {
  if (!entry.optional) return true;
  // An optional package without a platform is a fallback for machines that have no build of their own.
  if (!entry.os || !entry.cpu || entry.libc) return false;
  return [entry.os].flat().includes(platform) && [entry.cpu].flat().includes(arch);
}

/** Whether everything that the lock file requires on this platform is installed, in exactly that version. */
function isInstalled(root, platform, arch) {
  const installed = packagesOf(root, INSTALLED);
  const wanted = Object.entries(packagesOf(root, "package-lock.json")).filter(
    ([path, entry]) => path !== "" && belongsHere(entry, platform, arch),
  );
  return wanted.every(([path, entry]) => {
    const found = installed[path];
    return (
      found?.version === entry.version && found?.integrity === entry.integrity && existsSync(join(root, path))
    );
  });
}

function install(root) {
  console.error("Installing what package-lock.json lists, once…");
  rmSync(join(root, INSTALLED), { force: true });
  // NODE_ENV=production would leave out the runtime itself, which is a development dependency.
  const npm = spawnSync("npm", ["ci", "--include=dev", "--include=optional", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (npm.status !== 0) fail("npm ci failed: see its message above");
}

function checkNode(root) {
  if (existsSync(join(root, "node_modules/.bin/node"))) return;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [needMajor, needMinor] = NODE_MINIMUM;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  fail(
    `Node ${NODE_MINIMUM.join(".")} or later is needed on ${process.platform} ${process.arch}; this is ${process.version}`,
  );
}

function fail(line) {
  console.error(`sluice: ${line}`);
  process.exit(1);
}

if (!isInstalled(ROOT, process.platform, process.arch)) install(ROOT);
checkNode(ROOT);
