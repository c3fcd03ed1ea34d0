import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

const HERE = { os: [process.platform], cpu: [process.arch] };
const LOCK = {
  "": { name: "x" },
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/native": { version: "2.0.0", integrity: "sha512-n", optional: true, ...HERE },
  "node_modules/elsewhere": { version: "2.0.0", optional: true, os: ["plan9"], cpu: ["pdp11"] },
  "node_modules/fallback": { version: "3.0.0", optional: true },
};

/** A project whose `npm` only records its arguments. */
function project(): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin/npm"), `#!/bin/sh\necho "npm $*" >&2\nexit \${NPM_STATUS:-0}\n`, {
    mode: 0o755,
  });
  cpSync(join(import.meta.dirname, "../../scripts/install.mjs"), join(root, "scripts/install.mjs"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: LOCK }));
  for (const path of ["node_modules/a", "node_modules/native"])
    mkdirSync(join(root, path), { recursive: true });
  record(root, LOCK["node_modules/a"]);
  return root;
}

function record(root: string, a: object): void {
  const packages = { "node_modules/a": a, "node_modules/native": LOCK["node_modules/native"] };
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
}

function install(
  root: string,
  environment: Record<string, string> = {},
): { status: number | null; said: string } {
  const PATH = [join(root, "bin"), process.env["PATH"]].join(delimiter);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/install.mjs")], {
    env: { PATH, ...environment },
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

test("an installation that matches the lock file is left alone, silently", () => {
  expect(install(project())).toEqual({ status: 0, said: "" });
});

test.for<[string, (root: string) => void]>([
  ["nothing is installed", (root) => rmSync(join(root, "node_modules"), { recursive: true })],
  ["an earlier install was interrupted", (root) => rmSync(join(root, "node_modules/.package-lock.json"))],
  ["a package has another version", (root) => record(root, { version: "0.9.0", integrity: "sha512-a" })],
  ["a package has other content", (root) => record(root, { version: "1.0.0", integrity: "sha512-b" })],
  ["a package's folder is gone", (root) => rmSync(join(root, "node_modules/a"), { recursive: true })],
  [
    "this machine's build is missing",
    (root) => rmSync(join(root, "node_modules/native"), { recursive: true }),
  ],
])("npm ci runs, development packages included, when %s", ([, spoil]) => {
  const root = project();
  spoil(root);
  const { status, said } = install(root, { NODE_ENV: "production" });
  expect(said).toContain("npm ci --include=dev --include=optional");
  expect(status).toBe(0);
});

test("a failed npm ci ends in one clear line and exit status 1", () => {
  const root = project();
  rmSync(join(root, "node_modules"), { recursive: true });
  const { status, said } = install(root, { NPM_STATUS: "1" });
  expect(status).toBe(1);
  expect(said.trimEnd().split("\n").at(-1)).toBe("sluice: npm ci failed: see its message above");
});
