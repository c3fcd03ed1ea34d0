import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import type { StandIn } from "../../scripts/stand-in/server.ts";
import { PROVIDER_KEY, startProvider } from "../support/governed.ts";
import { installedPackage, runProgram } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";

/** Every program of docs/quickstart.md is run, and prints what it says. */
const programs = [
  ...readFileSync("docs/quickstart.md", "utf8").matchAll(
    /## ([^\n]+)\n(?:(?!##)[^])*?```(js|python)\n([^]*?)```/g,
  ),
].map(([, title = "", language = "", code = ""]) => [title, language, code] as const);
let installed: Awaited<ReturnType<typeof installedPackage>>;
let provider: StandIn;

beforeAll(async () => {
  installed = await installedPackage(["openai", "ai", "@ai-sdk"]);
  provider = await startProvider();
});
afterAll(async () => {
  installed.remove();
  await provider.close();
});

test.each(programs)("%s", async (_, language, code) => {
  const { ownerKey } = await newOrg();
  const { urls, dataDir } = sharedServer();
  const demo = JSON.parse(readFileSync(`${dataDir}/demo.json`, "utf8")) as Demo;
  const program = language === "js" ? "program.mjs" : "program.py";
  writeFileSync(join(installed.path, program), code);
  const ran = await runProgram(program, installed.path, {
    SLUICE_URL: urls[0],
    SLUICE_PROXY: demo.proxy_url,
    SLUICE_KEY: ownerKey,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    OPENAI_API_KEY: PROVIDER_KEY,
  });
  expect(ran.stderr).toBe("");
  const promised = [...code.matchAll(/(?:\/\/|#) → (.+)$/gm)].map(([, text = ""]) => text);
  expect(promised.length).toBeGreaterThan(0);
  expect(ran.stdout.trimEnd().split("\n")).toEqual(promised);
});

test("every section with a program was found", () => {
  const blocks = readFileSync("docs/quickstart.md", "utf8").match(/^```(?:js|python)$/gm) ?? [];
  expect(programs).toHaveLength(blocks.length);
  expect(programs.length).toBeGreaterThan(6);
});
