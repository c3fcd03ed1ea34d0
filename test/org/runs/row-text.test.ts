import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RowTexts } from "../../../src/org/runs/row-text.ts";
import type { Run } from "../../../src/org/runs/run.ts";

const id = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 });
const name = fc.option(fc.oneof(fc.constantFrom("wf_a", "wf_b", 'q"uote', "back\\slash"), id));
const count = fc.nat(1_000_000);
const moment = fc.oneof(
  fc.integer({ min: 0, max: 4_000_000_000_000 }),
  fc.integer({ min: -999, max: 1_002_000 }),
);
const run: fc.Arbitrary<Run> = fc.record({
  id,
  startedAt: moment,
  endedAt: fc.option(moment),
  chargedAt: moment,
  recordedAt: moment,
  model: fc.oneof(fc.constantFrom("acme/m1", "acme/m2"), fc.string({ unit: "grapheme" })),
  action: name,
  workflowId: name,
  deploymentId: name,
  departmentId: name,
  customerId: name,
  chainId: name,
  parentRunId: name,
  depth: count,
  inputTokens: count,
  outputTokens: count,
  cost: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
  charges: fc.constantFrom("", "bud_1", "bud_1 bud_2"),
  extra: fc.option(
    fc.record({ metadata: fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 2 })) }),
  ),
});

test("a row says what its run does, whatever rows were written before it", () => {
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 12 }), (runs) => {
      const texts = new RowTexts();
      for (const one of runs) texts.add(one);
      const rows = texts.texts.flatMap((text) => JSON.parse(text) as unknown[][]);
      expect(rows.map((row) => [...row.slice(0, 3), JSON.parse(row[3] as string)])).toEqual(
        runs.map((one) => [one.id, one.startedAt, String(one.cost), asStored(one)]),
      );
    }),
  );
});

test("more columns follow the data", () => {
  fc.assert(
    fc.property(run, (one) => {
      const texts = new RowTexts();
      texts.add(one, one.chargedAt, one.chainId);
      const [row] = JSON.parse(texts.texts[0] ?? "[]") as [unknown[]];
      expect(row.slice(4)).toEqual([one.chargedAt, one.chainId]);
    }),
  );
});

/** As JSON has it, which knows neither -0 nor what is undefined. */
function asStored(one: Run): unknown {
  return JSON.parse(
    JSON.stringify([
      one.model,
      one.action,
      one.workflowId,
      one.deploymentId,
      one.departmentId,
      one.customerId,
      one.inputTokens,
      one.outputTokens,
      one.charges,
      one.endedAt,
      one.parentRunId,
      one.depth,
      one.extra,
    ]),
  );
}
