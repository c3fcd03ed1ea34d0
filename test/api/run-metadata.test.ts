import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparable, parseExactly } from "../../src/domain/text/raw-json.ts";
import { fromWire, toWire } from "../../src/edge/region/wire.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { type Answer, call } from "../support/worker.ts";

/** A run as a client writes it, with metadata that no parser has touched. */
const runText = (id: string, metadata: string) =>
  JSON.stringify({ id, ...aRun({ cost_usd: "0.01" }), metadata: 0 }).replace(/0\}$/, () => `${metadata}}`);

const WAYS = {
  singly: ({ key }: Spender, run: string) => call("POST", "/v1/runs", { key, body: run }),
  "in bulk": ({ key }: Spender, run: string) =>
    call("POST", "/v1/runs/bulk", { key, body: `{"runs":[${run}]}` }),
  "in bulk under a key": ({ key }: Spender, run: string) =>
    call("POST", "/v1/runs/bulk", {
      key,
      body: `{"runs":[${run}]}`,
      headers: { "idempotency-key": crypto.randomUUID() },
    }),
} as const;

/** The result of a run, in the words of a batch. */
function outcomeOf({ status, body }: Answer): string {
  if (Array.isArray(body.results)) return body.results[0].status;
  return status === 201 ? "accepted" : status === 200 ? "duplicate" : body.error.code;
}

/** The content of a JSON text: names, and each number by its value. */
function meaning(text: string): unknown {
  const exact = (_name: string, value: unknown, { source }: { source?: string }) =>
    typeof value === "number" && source !== undefined ? ["number", comparable(source)] : value;
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, part]) => [name, sorted(part)] as const);
    return ["object", ...fields.toSorted(([a], [b]) => (a < b ? -1 : 1))];
  };
  return sorted(JSON.parse(text, exact as (name: string, value: unknown) => unknown));
}

const metadataOf = (text: string) => /"metadata":(.*),"recorded_at"/s.exec(text)?.[1] ?? "";

async function readBack({ key }: Spender, id: string): Promise<string[]> {
  const texts = await Promise.all([
    call("GET", `/v1/runs/${encodeURIComponent(id)}`, { key }),
    call("GET", "/v1/runs?limit=1&sort=-started_at", { key }),
  ]);
  return texts.map(({ text }) => metadataOf(text));
}

const ODD = [
  '{"__proto__":{"polluted":true},"constructor":1,"toString":null}',
  '{"id":12345678901234567890,"small":9007199254740993,"huge":1e400,"tiny":-1e-400}',
  '{"nanos":1763251200123456789,"third":0.33333333333333333333,"plain":[1,2.5,-3,1e9]}',
  '{"$bigint":"5","$$bigint":"x","nested":{"$bigint":7,"a":[{"$bigint":"9"}]}}',
  '{"rawJSON":"1","\\\\ud800":"{\\"\\\\ud800\\":\\"1\\"}","":"","\\u0000":"\\u0000"}',
  '{"deep":{"__proto__":{"__proto__":[{"__proto__":18446744073709551616}]}}}',
];

describe.for(Object.entries(WAYS))("metadata that is sent %s", ([, send]) => {
  test.for(ODD)("is read back as it was sent, and is a duplicate when sent again: %s", async (metadata) => {
    const org = await newSpender();
    expect(outcomeOf(await send(org, runText("odd", metadata)))).toBe("accepted");
    for (const text of await readBack(org, "odd")) expect(meaning(text)).toEqual(meaning(metadata));
    expect(outcomeOf(await send(org, runText("odd", metadata)))).toBe("duplicate");
    expect(outcomeOf(await WAYS.singly(org, runText("odd", metadata)))).toBe("duplicate");
  });

  test.for([
    ['{"__proto__":1}', "{}"],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":1e400}', '{"a":null}'],
    ['{"a":1e400}', '{"a":1e401}'],
    ['{"a":1e-400}', '{"a":0}'],
    ['{"a":0.10000000000000001}', '{"a":0.1}'],
  ])("makes a different run if it differs: %s and %s", async ([one = "", other = ""]) => {
    const org = await newSpender();
    expect(outcomeOf(await send(org, runText("r", one)))).toBe("accepted");
    expect(["conflict", "rejected"]).toContain(outcomeOf(await send(org, runText("r", other))));
  });
});

test("the same number in another spelling is the same content", async () => {
  const org = await newSpender();
  await WAYS.singly(org, runText("r", '{"a":100,"b":12345678901234567890,"c":1e9}'));
  const again = runText("r", '{"c":1000000000,"b":1234567890123456789.0e1,"a":1.0e2}');
  for (const send of Object.values(WAYS)) expect(outcomeOf(await send(org, again))).toBe("duplicate");
});

/** JSON texts with any names and numbers. Minus zero is zero. */
const jsonText = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("null", "true", '""'),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text.toWellFormed())),
    fc
      .stringMatching(/^-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,4})?$/)
      .filter((number) => !/^-[0.]+(e|$)/i.test(number)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    tie("object"),
  ),
  object: fc
    .uniqueArray(
      fc.oneof(
        fc.constantFrom("__proto__", "$bigint", "constructor", "length", "0", "rawJSON"),
        fc.string({ unit: "grapheme" }),
      ),
      { maxLength: 4 },
    )
    .chain((names) =>
      fc
        .tuple(...names.map(() => tie("value")))
        .map((values) => `{${names.map((name, at) => `${JSON.stringify(name)}: ${values[at]}`).join(",")}}`),
    ),
}));

test("any accepted metadata is read back equal, and is a duplicate when sent again", async () => {
  const org = await newSpender();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(jsonText.object, fc.constantFrom(...Object.values(WAYS)), async (metadata, send) => {
      const id = `r${(count += 1)}`;
      expect(outcomeOf(await send(org, runText(id, metadata)))).toBe("accepted");
      expect(outcomeOf(await send(org, runText(id, metadata)))).toBe("duplicate");
      const read = await call("GET", `/v1/runs/${id}`, { key: org.key });
      expect(meaning(metadataOf(read.text))).toEqual(meaning(metadata));
      const kept = parseExactly(metadata);
      expect(fromWire(toWire(kept))).toEqual(kept);
    }),
    { numRuns: 120 },
  );
});

test("a rule reads an exactly stored number as the nearest double", async () => {
  const org = await newSpender();
  const rule = { target: "model", effect: "deny", reason: "large", mode: "enforce", priority: 1 };
  await org.send("POST", "policy-rules", { ...rule, when: "has(run.metadata.n) && run.metadata.n > 1e18" });
  expect(outcomeOf(await WAYS.singly(org, runText("a", '{"n":12345678901234567890}')))).toBe(
    "policy_blocked",
  );
  expect(outcomeOf(await WAYS.singly(org, runText("b", '{"n":1234567890123456.789}')))).toBe("accepted");
});

test.for([["[]"], ["null"], ['"a"'], ["1e400"]])(
  "metadata that is not an object is refused, naming the field: %s",
  async ([metadata = ""]) => {
    const org = await newSpender();
    const alone = await WAYS.singly(org, runText("r", metadata));
    expect([alone.status, alone.body.error.details.fields]).toEqual([
      422,
      [{ field: "metadata", code: "invalid_type", message: "must be an object" }],
    ]);
    const batch = await WAYS["in bulk"](org, runText("r", metadata));
    expect(batch.body.error.details.fields[0].field).toBe("runs[0].metadata");
  },
);
