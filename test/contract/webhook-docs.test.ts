import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { ATTEMPT_DELAYS_SECONDS } from "../../src/domain/webhook/delivery.ts";
import { signatureHeaders, webhookSecret } from "../../src/domain/webhook/signature.ts";

/** Runs the code in docs/webhooks.md against what this service sends. */
const text = readFileSync("docs/webhooks.md", "utf8");
const sample = (language: string, containing: string): string =>
  [...text.matchAll(/```(\w+)\n([^]*?)```/g)].find(
    ([, name, code]) => name === language && code?.includes(containing),
  )?.[2] ?? "";

const seconds = 1_800_000_000;
const body = '{"type":"test.ping","data":"é"}';
const [secret, other] = [webhookSecret(Buffer.alloc(36, 1)), webhookSecret(Buffer.alloc(36, 2))];
const message = { eventId: "evt_1", body, sentAtMs: seconds * 1000 };
const header = signatureHeaders({ scheme: "v2", secrets: [other, secret] }, message)["x-svc-signature"];

/** Body, header, secret, the receiver's clock, and whether it must be accepted. */
const CASES: readonly (readonly [string, string, string, number, boolean])[] = [
  [body, header, secret, seconds, true],
  [body, header, other, seconds + 299, true],
  [`${body} `, header, secret, seconds, false],
  [body, header, `${secret}x`, seconds, false],
  [body, header, secret, seconds + 301, false],
  [body, header, secret, seconds - 301, false],
  [body, header.replace(/^t=\d+/, `t=${seconds + 1}`), secret, seconds, false],
  [body, `t=${seconds}`, secret, seconds, false],
  [body, `t=soon,v1=${"0".repeat(64)}`, secret, seconds, false],
  [body, "v1=", secret, seconds, false],
  [body, "", secret, seconds, false],
];
const expected = CASES.map(([, , , , accepted]) => accepted);

describe("the documented check", () => {
  test("in TypeScript accepts what is sent, and nothing forged or old", async () => {
    const code = stripTypeScriptTypes(sample("ts", "export function verify"));
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      verify(body: string, header: string, secret: string, nowSeconds: number): boolean;
    };
    expect(CASES.map(([raw, signed, key, now]) => module.verify(raw, signed, key, now))).toEqual(expected);
  });

  test.skipIf(spawnSync("python3", ["--version"]).status !== 0)("in Python does the same", () => {
    const run = `import json, sys
print(json.dumps([verify(raw.encode(), signed, key, now) for raw, signed, key, now, _ in json.load(sys.stdin)]))`;
    const ran = spawnSync("python3", ["-c", sample("python", "def verify") + run], {
      input: JSON.stringify(CASES),
      encoding: "utf8",
    });
    expect(ran.stderr).toBe("");
    expect(JSON.parse(ran.stdout)).toEqual(expected);
  });
});

test("the documented schedule is the actual one", () => {
  const unit = { s: 1, min: 60, h: 3600 } as const;
  const row = /\| wait before the attempt \| none \|(.*)\|/.exec(text)?.[1] ?? "";
  const waits = row.split("|").map((cell) => {
    const [count, name] = cell.trim().split(" ");
    return Number(count) * unit[name as keyof typeof unit];
  });
  expect([0, ...waits]).toEqual([...ATTEMPT_DELAYS_SECONDS]);
});
