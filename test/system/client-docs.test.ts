import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StandIn } from "../../scripts/stand-in/server.ts";
import { PROVIDER_KEY, startProvider } from "../support/governed.ts";
import { installedPackage, runProgram } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";

/** What docs/client.md shows is run, and prints what it says. */
const samples = [...readFileSync("docs/client.md", "utf8").matchAll(/```ts\n([^]*?)```/g)].map(
  ([, code = ""]) => code,
);
let installed: Awaited<ReturnType<typeof installedPackage>>;
let provider: StandIn;

beforeAll(async () => {
  installed = await installedPackage(["openai", "ai", "@ai-sdk", "hono"]);
  provider = await startProvider();
});
afterAll(async () => {
  installed.remove();
  await provider.close();
});

test.each(samples.map((code) => [/from "(sluice\/[\w-]+)"/.exec(code)?.[1] ?? "", code]))(
  "%s",
  async (_, code) => {
    const { ownerKey } = await newOrg();
    writeFileSync(join(installed.path, "sample.mts"), code);
    const ran = await runProgram("sample.mts", installed.path, {
      SLUICE_URL: sharedServer().urls[0],
      SLUICE_KEY: ownerKey,
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OPENAI_API_KEY: PROVIDER_KEY,
    });
    expect(ran.stderr).toBe("");
    const promised = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text = ""]) => text);
    expect(promised.length).toBeGreaterThan(0);
    expect(ran.stdout.trimEnd().split("\n")).toEqual(promised);
  },
);

test("every import of the package has a sample", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: object };
  // The whole, which names the parts, has a program in the package's own README.
  for (const name of Object.keys(exports).filter((one) => one !== ".")) {
    expect(samples.some((code) => code.includes(`"sluice/${name.slice(2)}"`))).toBe(true);
  }
});
