import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installedPackage } from "../support/installed-package.ts";
import { newOrg, sharedServer } from "../support/server.ts";

/** What docs/client.md shows is run, and prints what it says. */
const samples = [...readFileSync("docs/client.md", "utf8").matchAll(/```ts\n([^]*?)```/g)].map(
  ([, code = ""]) => code,
);
let installed: Awaited<ReturnType<typeof installedPackage>>;

beforeAll(async () => {
  installed = await installedPackage();
});
afterAll(() => installed.remove());

test.each(samples.map((code) => [/from "(sluice\/\w+)"/.exec(code)?.[1] ?? "", code]))(
  "%s",
  async (_, code) => {
    const { ownerKey } = await newOrg();
    writeFileSync(join(installed.path, "sample.mjs"), code);
    const env = { ...process.env, SLUICE_URL: sharedServer().urls[0], SLUICE_KEY: ownerKey };
    const ran = spawnSync(process.execPath, ["sample.mjs"], { cwd: installed.path, env, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    const promised = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text = ""]) => text);
    expect(promised.length).toBeGreaterThan(0);
    expect(ran.stdout.trimEnd().split("\n")).toEqual(promised);
  },
);

test("every import of the package has a sample", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: object };
  for (const name of Object.keys(exports)) {
    expect(samples.some((code) => code.includes(`"sluice/${name.slice(2)}"`))).toBe(true);
  }
});
