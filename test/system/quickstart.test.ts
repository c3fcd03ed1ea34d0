import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { PROVIDER_KEYS } from "../../scripts/deploy/proxy.ts";
import type { Demo } from "../../scripts/demo.ts";
import { SETTING_NAMES } from "../../src/settings.ts";
import { installedPackage, runProgram } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";

/**
 * Every program of docs/quickstart.md is run in a project of its own, and prints what it says. It gets the environment that the
 * page sets, with the addresses of this server and a new org's key, and nothing else.
 */
const page = readFileSync("docs/quickstart.md", "utf8");
const [intro = "", ...sections] = page.split(/^(?=## )/m);
const setUp = [...intro.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
const programs = sections.flatMap((section) => {
  const [, title = ""] = /^## (.+)$/m.exec(section) ?? [];
  return [...section.matchAll(/```(js|python|sh)\n([^]*?)```/g)].map(
    ([, language = "", code = ""]) => [title, language, code] as const,
  );
});
const FILES: Record<string, string> = { js: "program.mjs", python: "program.py", sh: "program.sh" };
let installed: Awaited<ReturnType<typeof installedPackage>>;

beforeAll(async () => {
  installed = await installedPackage(["openai", "@anthropic-ai", "ai", "@ai-sdk"]);
});
afterAll(() => installed.remove());

/** What the page's shell commands export. Its Sluice has this server's addresses, and a key of a new org. */
function environmentOf(ownerKey: string): Record<string, string> {
  const demo = JSON.parse(readFileSync(`${sharedServer().dataDir}/demo.json`, "utf8")) as Demo;
  mkdirSync(join(installed.path, "home/.sluice"), { recursive: true });
  writeFileSync(
    join(installed.path, "home/.sluice/demo.json"),
    JSON.stringify({ ...demo, owner_key: ownerKey }),
  );
  const { PATH = "" } = process.env;
  const said = execFileSync("bash", ["-euc", `SLUICE_HOME=home\n${setUp[1]}env -0`], {
    cwd: installed.path,
    encoding: "utf8",
    env: { PATH },
  });
  return Object.fromEntries(
    said.split("\0").flatMap((line) => {
      const [, name, value = ""] = /^(\w+)=([^]*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

test("the page begins in the reader's own project, with the package as it is packed and the SDKs that it uses", () => {
  const [install = ""] = setUp;
  expect(setUp).toHaveLength(2);
  expect(install).toContain(`npm install ./sluice-${manifest.version}.tgz `);
  const imported = [...page.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name = ""]) => name);
  const packages = new Set(imported.filter((name) => !/^(node:|sluice\/)/.test(name)));
  for (const name of packages) expect(install.split(/\s/)).toContain(name);
});

test("nothing that the page exports is taken for a real key by a later deploy", async () => {
  const { ownerKey } = await newOrg();
  const exported = Object.keys(environmentOf(ownerKey));
  expect(exported).toEqual(
    expect.arrayContaining(["SLUICE_URL", "SLUICE_KEY", "SLUICE_PROXY", "SLUICE_STAND_IN"]),
  );
  const deployed: readonly string[] = [...PROVIDER_KEYS, ...SETTING_NAMES];
  expect(exported.filter((name) => deployed.includes(name))).toEqual([]);
});

test.each(programs)("%s (%s)", async (_, language, code) => {
  const { ownerKey } = await newOrg();
  const program = FILES[language] ?? "";
  writeFileSync(join(installed.path, program), code);
  const ran = await runProgram(program, installed.path, environmentOf(ownerKey), {});
  expect(ran.stderr).toBe("");
  const promised = [...code.matchAll(/(?:\/\/|#) → (.+)$/gm)].map(([, text = ""]) => text);
  expect(promised.length).toBeGreaterThan(0);
  expect(ran.stdout.trimEnd().split("\n")).toEqual(promised);
});

test("every program of the page was found", () => {
  const blocks = page.match(/^```(?:js|python|sh)$/gm) ?? [];
  expect(programs).toHaveLength(blocks.length - setUp.length);
  expect(programs.length).toBeGreaterThan(9);
});
