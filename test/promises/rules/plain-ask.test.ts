import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DECISION_FIELDS } from "../../../src/contract/decision.ts";
import { decisionAsk } from "../../../src/contract/resources/decisions/decisions.ts";
import { plainAsk } from "../../../src/gate/decision/plain-ask.ts";

/** The typed reader takes only what the schema takes unchanged. What it does not take, the schema reads or explains. */

const IDS = Object.entries(DECISION_FIELDS).flatMap(([name, kind]) => (kind === "id" ? [name] : []));

const id = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("x".repeat(128), "x".repeat(129), "a", " ", "\\", '"', "{", "["),
);
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, true, false, -1, 0, 0.5, 1e12, 1e12 + 1),
);
const amount = fc.oneof(
  fc.constantFrom("0", "1.5", "00001", "1e3", "-1", "999999999.999999999", "1000000000"),
  id,
);
const whole = fc.oneof(fc.integer({ min: -2, max: 100_000 }), fc.constantFrom(29, 30, 86_400, 86_401), odd);
const counts = fc.dictionary(fc.oneof(fc.constantFrom("web_search", "a.b", "A", "__proto__"), id), whole);
const estimate = fc.record(
  {
    cost_usd: amount,
    input_tokens: whole,
    max_output_tokens: whole,
    min_output_tokens: whole,
    units: fc.oneof(counts, odd),
    x: odd,
  },
  { requiredKeys: [] },
);
const sound = fc.record(
  {
    ...Object.fromEntries(IDS.map((name) => [name, fc.stringMatching(/^[ -Z^-z~]{1,20}$/)])),
    estimate: fc.constant({ cost_usd: "0.01" }),
  },
  { requiredKeys: ["estimate"] },
);
const body = fc.oneof(
  sound,
  fc.record(
    {
      ...Object.fromEntries(IDS.map((name) => [name, fc.oneof(id, odd)])),
      model: fc.oneof(id, odd),
      estimate: fc.oneof({ weight: 4, arbitrary: estimate }, odd),
      hold_seconds: whole,
      dry_run: fc.oneof(fc.boolean(), odd),
      checks: fc.oneof(fc.constantFrom("limits", "all"), odd),
      on_expiry: fc.oneof(fc.constantFrom("release", "charge"), odd),
      input: fc.oneof(id, fc.jsonValue({ maxDepth: 4 })),
      extra: odd,
    },
    { requiredKeys: [] },
  ),
);

describe("a body that the typed reader takes", () => {
  test("is one that the schema takes unchanged, whatever was sent", () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (value) => {
        const text = JSON.stringify(value);
        const ask = plainAsk(text);
        if (ask === null) return;
        taken += 1;
        expect(decisionAsk.safeParse(JSON.parse(text))).toEqual({ success: true, data: ask });
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(500);
  });

  test("is every sound one", () => {
    fc.assert(
      fc.property(sound, (value) => {
        expect(plainAsk(JSON.stringify(value))).toEqual(value);
      }),
    );
  });
});
