import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Account, NO_USAGE } from "../../../src/domain/meter/meter.ts";
import {
  addNotice,
  thresholdsToAnnounce,
  thresholdWord,
  wasAnnounced,
} from "../../../src/domain/meter/alert-notices.ts";

const TENTH = 100_000_000n;

function accountOf(spent: bigint, limit: bigint, thresholds: readonly bigint[]): Account {
  return {
    meter: {
      id: "bud_1",
      kind: "budget",
      scope: { kind: "org", id: "" },
      limit,
      window: { kind: "period", period: "day" },
      mode: "enforce",
      sinceMs: 0,
      thresholds,
    },
    subject: "",
    window: { startMs: 0, endMs: 1 },
    usage: { ...NO_USAGE, spent },
  };
}

test("each threshold is announced once, at the charge that reaches it", () => {
  const thresholds = [8n * TENTH, 10n * TENTH];
  const charges = fc.array(fc.bigInt({ min: 0n, max: 30n }));
  fc.assert(
    fc.property(charges, fc.bigInt({ min: 1n, max: 200n }), (amounts, limit) => {
      let spent = 0n;
      let notices = "";
      const told: bigint[] = [];
      for (const amount of amounts) {
        spent += amount;
        for (const share of thresholdsToAnnounce(accountOf(spent, limit, thresholds), notices)) {
          told.push(share);
          notices = addNotice(notices, thresholdWord(share));
        }
      }
      expect(told).toEqual(thresholds.filter((share) => spent * 10n * TENTH >= share * limit));
    }),
  );
});

test("a word is not mistaken for a longer one with the same prefix", () => {
  expect(wasAnnounced("at:80 exceeded", "at:8")).toBe(false);
  expect(wasAnnounced("at:80 exceeded", "exceeded")).toBe(true);
});
