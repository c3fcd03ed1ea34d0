import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { STAND_IN_KEY } from "../../scripts/stand-in/key.ts";
import { type Ran, runProgram } from "./installed-package.ts";
import { newOrg, sharedServer, type SystemOrg } from "./server.ts";

/** The proxy of the shared server, before its stand-in for the providers. */
export const proxyUrl = (): string =>
  (JSON.parse(readFileSync(`${sharedServer().dataDir}/demo.json`, "utf8")) as Demo).proxy_url;

/** The blocks of a guide in one language, in order. */
export function blocksOf(guide: string, language: string): string[] {
  const text = readFileSync(`docs/${guide}.md`, "utf8");
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(
    ([, code = ""]) => code,
  );
}

/** What the guides ask their readers to set. */
export const guideEnvironment = (key: string): Record<string, string> => ({
  SLUICE_URL: sharedServer().urls[0],
  SLUICE_PROXY: proxyUrl(),
  SLUICE_KEY: key,
  OPENAI_API_KEY: STAND_IN_KEY,
});

/** Runs a program of a guide in this folder, for an org of its own, and checks that it prints what it says. */
export async function runGuideProgram(code: string, folder: string): Promise<SystemOrg> {
  const org = await newOrg();
  const ran = await runIn(folder, code, guideEnvironment(org.ownerKey));
  expect(ran.stderr).toBe("");
  const promised = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text = ""]) => text);
  expect(promised.length).toBeGreaterThan(0);
  expect(ran.stdout.trimEnd().split("\n")).toEqual(promised);
  return org;
}

export function runIn(folder: string, code: string, environment: Record<string, string>): Promise<Ran> {
  writeFileSync(join(folder, "program.mjs"), code);
  const { PATH = "" } = process.env;
  return runProgram("program.mjs", folder, environment, { PATH });
}
