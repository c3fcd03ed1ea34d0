import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { installedPackage, runProgram } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";

/**
 * Every program of docs/quickstart.md is run, and prints what it says. It gets the environment that the page sets, with the
 * addresses of this server and a new org's key, and nothing else.
 */
const page = readFileSync("docs/quickstart.md", "utf8");
const programs = [...page.matchAll(/## ([^\n]+)\n(?:(?!##)[^])*?```(js|python)\n([^]*?)```/g)].map(
  ([, title = "", language = "", code = ""]) => [title, language, code] as const,
);
let installed: Awaited<ReturnType<typeof installedPackage>>;

beforeAll(async () => {
  installed = await installedPackage(["openai", "ai", "@ai-sdk"]);
});
afterAll(() => installed.remove());

/** What the page's shell commands export. Building is left out: the folder has the package as `npm run build` makes it. */
function environmentOf(ownerKey: string): Record<string, string> {
  const { urls, dataDir } = sharedServer();
  const demo = JSON.parse(readFileSync(`${dataDir}/demo.json`, "utf8")) as Demo;
  writeFileSync(join(installed.path, "demo.json"), JSON.stringify({ ...demo, owner_key: ownerKey }));
  const [, block = ""] = /```sh\n([^]*?)```/.exec(page) ?? [];
  expect(block).toContain("npm run build\n");
  const commands = block
    .replace("npm run build\n", "")
    .replace("http://127.0.0.1:8787", urls[0])
    .replace("http://127.0.0.1:8788", demo.proxy_url)
    .replaceAll("./.sluice/demo.json", "./demo.json");
  const { PATH = "" } = process.env;
  const said = execFileSync("bash", ["-euc", `${commands}env -0`], {
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

test.each(programs)("%s", async (_, language, code) => {
  const { ownerKey } = await newOrg();
  const program = language === "js" ? "program.mjs" : "program.py";
  writeFileSync(join(installed.path, program), code);
  const ran = await runProgram(program, installed.path, environmentOf(ownerKey), {});
  expect(ran.stderr).toBe("");
  const promised = [...code.matchAll(/(?:\/\/|#) → (.+)$/gm)].map(([, text = ""]) => text);
  expect(promised.length).toBeGreaterThan(0);
  expect(ran.stdout.trimEnd().split("\n")).toEqual(promised);
});

test("every section with a program was found", () => {
  const blocks = page.match(/^```(?:js|python)$/gm) ?? [];
  expect(programs).toHaveLength(blocks.length);
  expect(programs.length).toBeGreaterThan(6);
});
