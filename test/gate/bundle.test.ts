import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { NO_USAGE, windowOf } from "../../src/domain/meter/meter.ts";
import { NO_REQUESTS } from "../../src/gate/decision/recent-reservations.ts";
import type * as Gate from "../../src/gate/index.ts";
import { readAsk, writeReply } from "../../src/gate/lease/wire.ts";

/** Minified, in bytes: what it adds to a host's own Worker. */
const LARGEST_BUNDLE_BYTES = 53_500;

let text = "";
let inputs: string[] = [];
let imports: string[] = [];

beforeAll(async () => {
  const result = await build({
    entryPoints: ["src/gate/index.ts"],
    bundle: true,
    write: false,
    format: "esm",
    minify: true,
    target: "es2024",
    external: ["node:crypto"],
    metafile: true,
  });
  text = result.outputFiles[0]?.text ?? "";
  inputs = Object.keys(result.metafile.inputs);
  imports = Object.values(result.metafile.outputs).flatMap((output) =>
    output.imports.map(({ path }) => path),
  );
});

test("the gate builds alone, from its own files, the rules and the contract", () => {
  expect(inputs).toContain("src/gate/decision/decision.ts");
  expect(inputs.filter((path) => !/^src\/(gate|domain|contract)\//.test(path))).toEqual([]);
  expect(new Set(imports)).toEqual(new Set(["node:crypto"]));
});

test("it stays small enough to embed", () => {
  expect(Buffer.byteLength(text)).toBeGreaterThan(10_000);
  expect(Buffer.byteLength(text)).toBeLessThan(LARGEST_BUNDLE_BYTES);
});

test("it reads no clock, sets no timer and sends nothing by itself", () => {
  const found = text.match(
    /\bDate\.now|new Date\(\)|\bperformance\.|\bset(Timeout|Interval)\b|\bscheduler\b|\bfetch\(|\bMath\.random|\brandomUUID|\bconsole\./g,
  );
  expect(found).toBeNull();
});

/** A host with its own clock, and an object that leases whatever it is asked for. */
function host(gate: typeof Gate, startedAt: number) {
  const clock = { now: startedAt };
  const meter = {
    id: "bud_A",
    kind: "budget",
    scope: { kind: "org", id: "" },
    limit: 1_000_000_000_000n,
    window: { kind: "period", period: "month" },
    mode: "enforce",
    sinceMs: 0,
  } as const;
  const account = { meter, subject: "", window: windowOf(meter, startedAt), usage: NO_USAGE };
  const matters = { department: [], workflow: [], deployment: [], customer: false };
  const decisionPlan = { accounts: [account], matters, ceiling: null };
  const verdict = {
    refusal: null,
    text: "",
    rates: [],
    decisionPlan,
    orgNow: startedAt,
    version: "1",
  };
  const syncLeases = async (report: string) => {
    const { ask } = readAsk(report);
    const slices = new Map(
      Array.from(ask.wants, ([key, { want }]) => [key, { add: want, forMs: 1000, share: want }] as const),
    );
    const grant = { attempt: ask.attempt, slices };
    return writeReply({
      grant,
      rates: [],
      usage: [],
      orgNow: clock.now,
      version: "1",
      requests: NO_REQUESTS,
      refusals: 0,
    });
  };
  const background: Gate.Background = {
    object: () => ({ syncLeases }),
    waitUntil: (work) => void work,
    now: () => clock.now,
    wait: () => new Promise(() => undefined),
  };
  const gates = new gate.Gates(() => "isolate");
  return { clock, taught: verdict, background, gates };
}

test("embedded, it decides with the clock and the object of its host", async () => {
  const source = `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
  const gate = (await import(/* @vite-ignore */ source)) as typeof Gate;
  const startedAt = Date.UTC(2001, 0, 1);
  const { clock, taught, background, gates } = host(gate, startedAt);
  const org = gates.of("org_A");
  if (org === null) throw new Error("no gate");
  const caller = gate.newGateCaller(
    { id: "org_A", rates: { policies: [] }, checks: "limits", onExpiry: "release" },
    "key_A",
    "p".repeat(32),
  );
  const ask = gate.plainAsk('{"estimate":{"cost_usd":"0.01"}}');
  if (ask === null) throw new Error("the ask is plain");
  const decide = () => gate.decideHere(org, caller, ask, { now: clock.now, background });
  expect(decide()).toBeNull();
  for (let call = 0; call < 8; call += 1) {
    gate.installPlan(org, caller, ask, { verdict: taught, askedAt: clock.now, now: clock.now });
    gate.wish(org, caller, ask, { now: clock.now, background });
  }
  await org.flush(background);
  clock.now += 500;
  const verdict = decide();
  if (typeof verdict !== "string") throw new Error("the isolate has slices, and allows");
  const allow = JSON.parse(verdict);
  expect(allow).toMatchObject({ decision: "allow", reservation: { amount_usd: "0.01" } });
  expect(allow.evaluated_at).toBe("2001-01-01T00:00:00.500Z");
  expect(allow.reservation.expires_at).toBe("2001-01-01T00:15:00.500Z");
  clock.now += 500;
  expect(decide()).toBeNull();
});
