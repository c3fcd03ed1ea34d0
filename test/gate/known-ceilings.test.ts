import { expect, test } from "vitest";
import { Ceilings } from "../../src/gate/snapshot/ceilings.ts";

test("an isolate keeps the prices of a bounded number of models for an org", () => {
  const ceilings = new Ceilings();
  const name = (at: number) => ({ provider: at % 2 === 0 ? "openai" : undefined, model: `model-${at}` });
  for (let at = 0; at < 10_000; at += 1) ceilings.set(name(at), null);
  const known = Array.from({ length: 10_000 }, (_, at) => ceilings.get(name(at))).filter(
    (one) => one === null,
  );
  expect(known.length).toBeGreaterThan(0);
  expect(known.length).toBeLessThanOrEqual(2000);
  expect(ceilings.get(name(9999))).toBeNull();
});
