import { expect, test } from "vitest";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { Recent } from "../../src/gate/recent.ts";

test("an isolate knows the prices of a bounded number of models, the latest ones", () => {
  const { ceilings } = new OrgGate("holder", new Recent());
  for (let model = 0; model < 5000; model += 1) ceilings.set(`m${model}`, null);
  expect(ceilings.size).toBe(1000);
  expect([ceilings.get("m4999"), ceilings.get("m4000"), ceilings.get("m3999")]).toEqual([
    null,
    null,
    undefined,
  ]);
});
