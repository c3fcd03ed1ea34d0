import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { ROOT } from "../../scripts/worker-config.ts";
import { clone } from "../support/clone.ts";
import { inherited } from "../support/environment.ts";
import { temporaryFolder } from "../support/folder.ts";

/** `npm start` in a clone of the project, on each Node of this machine, with nothing installed. */

const folders = (process.env["PATH"] ?? "").split(delimiter);
const OWN = join(ROOT, "node_modules/.bin");
const NODES = new Map(
  [...folders.filter((folder) => !folder.includes("node_modules")), OWN].flatMap((folder) => {
    const node = join(folder, "node");
    const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
    return status === 0 ? [[stdout.trim(), realpathSync(node)] as const] : [];
  }),
);
const NPM =
  folders.map((folder) => join(folder, "npm")).find((file) => !file.startsWith(OWN) && existsSync(file)) ??
  "npm";

/** A PATH on which `node` is this one, and `npm` that one. */
function pathOf(node: string, npm: string): string {
  const folder = temporaryFolder();
  symlinkSync(node, join(folder, "node"));
  symlinkSync(npm, join(folder, "npm"));
  return [folder, "/usr/bin", "/bin"].join(delimiter);
}

/** Starts it, waits until it serves, and stops it. */
async function startIn(project: string, environment: NodeJS.ProcessEnv) {
  const child = spawn(NPM, ["start"], {
    cwd: project,
    env: { ...inherited(), PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "";
  let error = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  };
  onTestFinished(stop);
  let isOver = false;
  void ended.then(() => (isOver = true));
  await expect.poll(() => isOver || said.includes("/v1/meta/deprecations"), { interval: 100 }).toBe(true);
  expect([said.includes("Sluice is running at"), error]).toEqual([true, expect.any(String)]);
  const demo = JSON.parse(readFileSync(join(project, ".sluice/demo.json"), "utf8")) as Demo;
  const pages = await Promise.all(
    ["/healthz", "/docs", "/docs/assets/look.css", "/docs/guides/quickstart"].map(
      async (path) => (await fetch(demo.base_url + path)).status,
    ),
  );
  await stop();
  return { error, pages };
}

/** What each start does first. */
const prepareIn = (project: string, environment: NodeJS.ProcessEnv) =>
  spawnSync(NPM, ["run", "prestart"], {
    cwd: project,
    env: { HOME: process.env["HOME"], ...environment },
    encoding: "utf8",
  });

/** Each file with its size, but for those that a start makes. npm's own record says more when npm wrote it. */
const filesIn = (folder: string): [string, number][] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/node_modules\/(\.cache\/|\.package-lock\.json)/.test(path))
    .map((path): [string, number] => [relative(folder, path), statSync(path).size])
    .sort(([one], [other]) => (one < other ? -1 : 1));

function expectRunOnly(project: string): void {
  for (const name of ["typescript", "vitest", "wrangler", "oxlint", "@vue", "vite"]) {
    expect([name, existsSync(join(project, "node_modules", name))]).toEqual([name, false]);
  }
}

const isReachable = spawnSync(NPM, ["ping"], { stdio: "ignore", timeout: 15_000 }).status === 0;
const UNREACHABLE = { npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" };
const MOST_BYTES = 300_000_000;

/** It installs, serves and stops. The next start installs nothing, and needs none of what `without` takes away. */
async function expectFirstStart(
  project: string,
  version: string,
  { environment, without }: Record<"environment" | "without", NodeJS.ProcessEnv>,
): Promise<void> {
  const { error, pages } = await startIn(project, environment);
  expect(error).toMatch(/Installing the \d\d packages that npm start needs, once…\n/);
  expect(error).toMatch(/Installed in \d+ s\.\n/);
  expect(error).toContain("… 3 of 3: making the demo org, a sample company and the price book…\n");
  expect(pages).toEqual([200, 200, 200, 200]);
  expectRunOnly(project);
  const hasOwn = existsSync(join(project, "node_modules/.bin/node"));
  expect(hasOwn).toBe(!/^v(22\.(1[89]|[2-9]\d)|2[4-9])\./.test(version));
  const again = prepareIn(project, { ...environment, ...without });
  expect([again.status, again.stderr]).toEqual([0, expect.not.stringContaining("Installing")]);
}

describe("a first npm start", () => {
  const [first = ["", ""] as const, ...others] = NODES;

  test.each(isReachable ? others : [first, ...others])(
    "on Node %s works with what it installs, and asks npm for nothing again",
    async (version, node) => {
      const PATH = pathOf(node, join(ROOT, "test/support/npm-stand-in.mjs"));
      const environment = { PATH, NPM_TAKES_FROM: ROOT, npm_config_cache: temporaryFolder() };
      await expectFirstStart(clone(), version, { environment, without: { NPM_TAKES_FROM: "/nowhere" } });
    },
  );

  test.runIf(isReachable)(
    `on Node ${first[0]} works with the little that it installs from the registry, and installs the same from a full npm cache`,
    async () => {
      const project = clone();
      const [version, node] = first;
      const environment = { PATH: pathOf(node, realpathSync(NPM)), npm_config_cache: temporaryFolder() };
      await expectFirstStart(project, version, { environment, without: UNREACHABLE });
      const installed = filesIn(join(project, "node_modules"));
      expect(installed.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(MOST_BYTES);
      rmSync(join(project, "node_modules"), { recursive: true });
      const { status, stderr } = prepareIn(project, { ...environment, ...UNREACHABLE });
      expect([status, stderr]).toEqual([0, expect.stringContaining("Installed in")]);
      expect(filesIn(join(project, "node_modules"))).toEqual(installed);
    },
  );
});
