import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { SETTING_NAMES } from "../../src/settings.ts";
import { sharedServer } from "../support/server.ts";

const readme = readFileSync("README.md", "utf8");

test("the README's calls work as printed", () => {
  const { urls, dataDir } = sharedServer();
  const demo = JSON.parse(readFileSync(`${dataDir}/demo.json`, "utf8")) as Demo;
  const block = /```sh\n(KEY=[^]*?)```/.exec(readme)?.[1] ?? "";
  const here = block
    .replaceAll("http://127.0.0.1:8787", urls[0])
    .replaceAll("http://127.0.0.1:8788", demo.proxy_url)
    .replace("./.sluice/demo.json", `${dataDir}/demo.json`);
  const said = execFileSync("bash", ["-ec", here], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual([
    "HTTP/1.1 200",
    "HTTP/1.1 402",
    "HTTP/1.1 200",
    "HTTP/1.1 200",
  ]);
  expect(said).toContain(`"decision":"allow"`);
  expect(said).toContain(`"code":"budget_exceeded"`);
  expect(said).toContain(`"object":"chat.completion"`);
  expect(said).toContain("/v1/forecast");
});

test("the README lists exactly the settings that exist", () => {
  const listed = [...readme.matchAll(/^\| `(SVC_[A-Z_]+)` \|/gm)].map((match) => match[1]);
  expect(new Set(listed)).toEqual(new Set(SETTING_NAMES));
});
