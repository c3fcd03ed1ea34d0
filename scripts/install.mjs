/**
 * Runs before every command, on the system's Node and before anything is installed. Brings node_modules in line with
 * package-lock.json: `run` for what `npm start` needs, otherwise for everything. Prints nothing if it already is.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { install, OWNER, PARTS, REMOVED } from "./install/stage.mjs";
import { hasNode, isInstalled, runsTypeScript, wantedPackages } from "./install/wanted.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SET = process.argv[2] === "run" ? "run" : "all";
const PROGRESS_MS = 2000;
/** Names the process that installs. Another command waits for it. */
const OWNED_BY = join(ROOT, "node_modules/.install", OWNER);
/** An owner that has written nothing for so long was ended, whatever process has its number now. */
const SILENT_OWNER_MS = 60_000;

const wish = { set: SET, platform: process.platform, arch: process.arch, hasNode: hasNode(ROOT) };
const wanted = wantedPackages(ROOT, wish);

for (let waitedMs = 0; ; waitedMs += PROGRESS_MS) {
  if (isOwned()) {
    console.error(`… another command is installing; waiting for it (${waitedMs / 1000} s)`);
    await sleep(PROGRESS_MS);
  } else if (isInstalled(ROOT, wanted)) break;
  else if (claim()) await installAll();
}
checkNode();

async function installAll() {
  const started = Date.now();
  const whose = SET === "run" ? "npm start needs" : "the checks and tools need";
  console.error(`Installing the ${wanted.length} packages that ${whose}, once…`);
  const timer = setInterval(() => {
    if (existsSync(OWNED_BY)) utimesSync(OWNED_BY, new Date(), new Date());
    console.error(progress(started));
  }, PROGRESS_MS);
  const isDone = await install(ROOT, wish);
  clearInterval(timer);
  if (!isDone) fail("npm ci failed: see its message above");
  if (!isInstalled(ROOT, wanted)) fail("npm ci left out packages that are needed here");
  console.error(`Installed in ${seconds(started)} s.`);
}

function progress(started) {
  if (existsSync(join(dirname(OWNED_BY), REMOVED))) {
    return `… removing what is not needed, after ${seconds(started)} s`;
  }
  const isThere = (path) =>
    Object.values(PARTS).some((part) => existsSync(join(dirname(OWNED_BY), part, path, "package.json")));
  const done = wanted.filter(([path]) => isThere(path)).length;
  return `… ${done} of ${wanted.length} packages after ${seconds(started)} s`;
}

function seconds(started) {
  return Math.round((Date.now() - started) / 1000);
}

function claim() {
  mkdirSync(dirname(OWNED_BY), { recursive: true });
  try {
    writeFileSync(OWNED_BY, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isOwned()) rmSync(OWNED_BY, { force: true });
    return false;
  }
}

function isOwned() {
  try {
    if (Date.now() - statSync(OWNED_BY).mtimeMs > SILENT_OWNER_MS) return false;
    return process.kill(Number(readFileSync(OWNED_BY, "utf8")), 0);
  } catch {
    return false;
  }
}

function checkNode() {
  if (runsTypeScript(process.versions.node) || existsSync(join(ROOT, "node_modules/.bin/node"))) return;
  fail(`Node 22.18 or later is needed on ${process.platform} ${process.arch}; this is ${process.version}`);
}

function fail(line) {
  console.error(`sluice: ${line}`);
  process.exit(1);
}
