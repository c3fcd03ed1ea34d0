import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TOKEN_PARTS } from "../../../../src/contract/token-classes.ts";
import { plainRuns } from "../../../../src/domain/run/plain/runs.ts";
import { readRun } from "../../../../src/domain/run/read-runs.ts";

const plain = {
  id: "run-0000000001",
  started_at: "2026-11-15T02:00:00.250Z",
  model: "acme/m1",
  action: "chat.completion",
  workflow_id: "wf_support_answers",
  deployment_id: "dep_europe",
  department_id: "dpt_care",
  customer_id: "cus_1",
  usage: { input_tokens: 1800, output_tokens: 600 },
  cost_usd: "0.001250",
};

/** What the parser and the checks say of a text. */
function judged(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof body !== "object" || body === null || Object.keys(body).join() !== "runs") return null;
  const { runs } = body as { runs: unknown };
  if (!Array.isArray(runs) || runs.length === 0 || runs.length > 1000) return null;
  return runs.every((run) => readRun(JSON.stringify(run)) !== null) ? runs : null;
}

const parts = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...TOKEN_PARTS.map(({ field }) => field)), fc.nat(400)),
  {
    selector: ([field]) => field,
    maxLength: 3,
  },
);
const usage = fc
  .tuple(fc.constantFrom(0, 1, 1800, 1e12), fc.constantFrom(0, 9, 600, 1e12), parts)
  .map(([input_tokens, output_tokens, some]) => ({
    input_tokens,
    output_tokens,
    ...Object.fromEntries(some),
  }));
const name = fc.oneof(fc.constantFrom("a", "wf_support_answers", "wf_support_answer", " ~"), fc.string());
const time = fc.oneof(
  fc.constantFrom("2026-11-15T02:00:00.250Z", "2026-11-15T02:00:00.251Z", "2026-11-15T02:00:00Z"),
  fc.constantFrom(
    "2026-11-15T02:00:01.1Z",
    "2026-11-15T02:00:00.Z",
    "2026-11-15T04:00:00+02:00",
    "2026-02-30",
  ),
);
const field = fc.oneof(
  fc.tuple(fc.constantFrom("started_at", "ended_at"), time),
  fc.tuple(
    fc.constantFrom("id", "model", "action", "workflow_id", "customer_id", "user_id", "provider"),
    name,
  ),
  fc.tuple(fc.constant("usage"), usage),
  fc.tuple(fc.constant("cost_usd"), fc.constantFrom("1", "0.001250", "00.5", "1.", "-1", "1000000000")),
  fc.tuple(fc.constant("outcome"), fc.constantFrom("completed", "failed", "unreported")),
  fc.tuple(fc.constantFrom("variant", "surprise", "__proto__"), name),
  fc.tuple(fc.constantFrom(...Object.keys(plain)), fc.constant(undefined)),
);
const run = fc.tuple(fc.array(field, { maxLength: 3 }), fc.boolean()).map(([fields, isReversed]) => {
  const made = Object.entries({ ...plain, ...Object.fromEntries(fields) });
  return Object.fromEntries(isReversed ? made.reverse() : made);
});
const batch = fc
  .tuple(fc.array(run, { minLength: 1, maxLength: 6 }), fc.constantFrom(undefined, 1, "\t"))
  .map(([runs, indent]) => JSON.stringify({ runs }, null, indent));

test("whatever is read from a batch, the parser and the checks read and accept too", () => {
  let read = 0;
  fc.assert(
    fc.property(batch, (text) => {
      const runs = plainRuns(text);
      if (runs === null) return;
      read += 1;
      expect(runs).toStrictEqual(judged(text));
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(300);
});

test("a text that is damaged anywhere is read as the parser reads it, or not at all", () => {
  const spot = fc.tuple(
    fc.nat(),
    fc.constantFrom("", '"', "\\", ",", "}", "]", "0", "é", " ", "\u0000", "x"),
    fc.nat(2),
  );
  let read = 0;
  fc.assert(
    fc.property(batch, spot, (text, [at, put, cut]) => {
      const from = at % text.length;
      const damaged = text.slice(0, from) + put + text.slice(from + cut);
      const runs = plainRuns(damaged);
      if (runs === null) return;
      read += 1;
      expect(runs).toStrictEqual(judged(damaged));
    }),
    { numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(50);
});

const textOf = (...runs: object[]) => JSON.stringify({ runs });

test.each([
  [
    "runs that differ in what is mostly different",
    textOf(plain, { ...plain, id: "r2", customer_id: "cus_2" }),
  ],
  [
    "runs with other fields in another order",
    textOf(plain, Object.fromEntries(Object.entries(plain).reverse())),
  ],
  [
    "a run with the fewest fields after one with all",
    textOf(
      { ...plain, user_id: "u" },
      {
        started_at: plain.started_at,
        model: "m",
        usage: plain.usage,
      },
    ),
  ],
  ["classes of tokens", textOf(plain, { ...plain, usage: { ...plain.usage, reasoning_tokens: 600 } })],
  [
    "a field that is as in an earlier run, and not as in the run before",
    textOf(
      { started_at: plain.started_at, usage: plain.usage, cost_usd: "1", model: "m1" },
      { model: "m2", started_at: plain.started_at, usage: plain.usage },
      { started_at: plain.started_at, usage: plain.usage, cost_usd: "1", model: "m1" },
    ),
  ],
  ["the spaces that other writers put", JSON.stringify({ runs: [plain, plain] }, null, 2)],
])("%s are read", (_, text) => {
  expect(plainRuns(text)).toStrictEqual((JSON.parse(text) as { runs: object[] }).runs);
});

test.each([
  ["an escape", textOf({ ...plain, model: 'a"b' })],
  ["another character than ASCII", textOf({ ...plain, model: "é" })],
  ["a field that comes twice", textOf(plain).replace('"id"', '"id":"x","id"')],
  [
    "a class of tokens that comes twice",
    textOf(plain).replace('"input_tokens"', '"input_tokens":1,"input_tokens"'),
  ],
  ["metadata", textOf({ ...plain, metadata: {} })],
  ["parts above their total", textOf({ ...plain, usage: { ...plain.usage, reasoning_tokens: 601 } })],
  ["a count above the highest", textOf({ ...plain, usage: { ...plain.usage, output_tokens: 1e12 + 1 } })],
  ["an end before the start", textOf({ ...plain, ended_at: "2026-11-15T02:00:00.249Z" })],
  ["another field beside the runs", `{"runs":[${JSON.stringify(plain)}],"x":1}`],
  ["a text after the end", `${textOf(plain)}}`],
  ["a text without an end", textOf(plain).slice(0, -1)],
  ["no run", '{"runs":[]}'],
  ["too many runs", textOf(...Array.from({ length: 1001 }, () => plain))],
])("%s is left to the parser", (_, text) => {
  expect(plainRuns(text)).toBeNull();
});

test("a text that ends anywhere in its last run is left to the parser", () => {
  const written = JSON.stringify(plain);
  const short = `{"runs":[${written},${written}]}`;
  const long = `{"runs":[${written},${" ".repeat(1_100_000)}${written}]}`;
  for (const text of [short, long]) {
    expect(plainRuns(text)).toStrictEqual([plain, plain]);
    for (let cut = 1; cut < written.length; cut += 7) expect(plainRuns(text.slice(0, -cut))).toBeNull();
  }
});

test("a text is read whatever was read before it, and whatever its length", () => {
  const short = textOf(plain);
  const long = textOf(
    ...Array.from({ length: 1000 }, () => ({ ...plain, user_id: "u".repeat(128), action: "a".repeat(128) })),
  );
  const longest = `${" ".repeat(1_100_000)}${long}`;
  for (const text of [long, short.slice(0, -2), short, longest, long.slice(0, -1), short]) {
    expect(plainRuns(text)).toStrictEqual(judged(text));
  }
});
