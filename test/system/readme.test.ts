import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { SETTING_NAMES } from "../../src/settings.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../support/chromium.ts";
import { sharedServer } from "../support/server.ts";

const readme = readFileSync("README.md", "utf8");

describe("the README's path", () => {
  let demo: Demo;
  let said: string;

  beforeAll(() => {
    const { urls, dataDir } = sharedServer();
    demo = JSON.parse(readFileSync(`${dataDir}/demo.json`, "utf8")) as Demo;
    const block = /```sh\n(KEY=[^]*?)```/.exec(readme)?.[1] ?? "";
    const here = block
      .replaceAll("http://127.0.0.1:8787", urls[0])
      .replaceAll("http://127.0.0.1:8788", demo.proxy_url)
      .replace("./.sluice/demo.json", `${dataDir}/demo.json`);
    said = execFileSync("bash", ["-ec", here], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  });

  test("has calls that work as printed", () => {
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

  test.skipIf(chromiumIsMissing)(`ends in the console, which shows these calls${MISSING_NOTE}`, async () => {
    const browser = await launch();
    onTestFinished(() => browser.close());
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const find = async (id: string | undefined) => {
      await page.fill("input[name=q]", id ?? "");
      await page.press("input[name=q]", "Enter");
      return page.locator("main").innerText();
    };
    await page.goto(`${sharedServer().urls[0]}/console`);
    await page.fill("#key", demo.owner_key);
    await page.click("button:has-text('Sign in')");
    const [, trace] = /HTTP\/1\.1 402[^]*?x-svc-trace-id: (\S+)/i.exec(said) ?? [];
    await expect.poll(() => find(trace)).toContain("Refused by");
    const [, decision] = /"decision_id":"(dec_[^"]+)"/.exec(said) ?? [];
    await expect.poll(() => find(decision)).toContain("It passes");
    const [, run] = /x-sluice-run-id: (\S+)/i.exec(said) ?? [];
    await expect.poll(() => find(run)).toContain("gpt-4o-mini");
  });
});

test("the README lists exactly the settings that exist", () => {
  const listed = [...readme.matchAll(/^\| `(SVC_[A-Z_]+)` \|/gm)].map((match) => match[1]);
  expect(new Set(listed)).toEqual(new Set(SETTING_NAMES));
});
