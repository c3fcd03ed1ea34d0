import { expect, test } from "vitest";
import { writeBatch } from "../../src/domain/refusal/batch.ts";
import { refusedCalls } from "../../src/gate/report/refused-calls.ts";

test("an amount that is too large for a report stays at the largest, and the report is sent", () => {
  const group = { hour: 0, code: "budget_exceeded", limit: "bud_1", keyId: null, customerId: null };
  const more = [10n ** 18n, 7n].map((nanos) => ({ ...group, workflowId: null, count: 2000, nanos }));
  const sent = refusedCalls({ number: 1, batch: writeBatch({ notes: [], more }) });
  expect(sent.more.map(({ nanos }) => nanos)).toEqual(["9".repeat(18), "7"]);
});
