import { expect, test } from "vitest";
import type { LimitInUse } from "../../../src/contract/resources/limits.ts";
import { outlookOf, compareUrgency } from "../../../src/web/console/pages/overview/outlook.ts";

const NOW = Date.parse("2026-11-16T16:00:00Z");

function limit(id: string, fields: Partial<LimitInUse>): LimitInUse {
  return {
    kind: "budget",
    id,
    name: id,
    scope_kind: "org",
    scope_id: null,
    period: "month",
    mode: "enforce",
    limit: "10.00",
    spent: "5.00",
    reserved: "0.00",
    available: "5.00",
    used: 0.5,
    period_start: "2026-11-01T00:00:00.000Z",
    resets_at: "2026-12-01T00:00:00.000Z",
    runs_out_at: "2026-11-16T16:30:00.000Z",
    forecast: null,
    ...fields,
  };
}

const dated = (p50_date: string | null) => ({ forecast: { p50_date, p90_date: null } });

test("limits are listed by the date that is shown, used up ones first", () => {
  const limits = [
    limit("lasts", dated(null)),
    limit("19th", dated("2026-11-19")),
    limit("young", { period_start: "2026-11-16T15:30:00.000Z" }),
    limit("17th", dated("2026-11-17")),
    limit("18th by pace", { runs_out_at: "2026-11-18T09:00:00.000Z" }),
    limit("18th, fuller", { ...dated("2026-11-18"), used: 0.9 }),
    limit("empty", { available: "0.00", ...dated(null) }),
  ];
  expect(compareUrgency(limits, NOW).map(({ limit: { id } }) => id)).toEqual([
    "empty",
    "17th",
    "18th, fuller",
    "18th by pace",
    "19th",
    "young",
    "lasts",
  ]);
});

test("a pace of minutes is no date: a limit says so until it has counted for a day, or for an hour of a day", () => {
  const kindOf = (fields: Partial<LimitInUse>) => outlookOf(limit("x", fields), NOW).kind;
  expect(kindOf({ period_start: "2026-11-15T16:00:01.000Z" })).toBe("too_early");
  expect(kindOf({ period_start: "2026-11-15T16:00:00.000Z" })).toBe("paced");
  expect(kindOf({ period: "day", period_start: "2026-11-16T15:00:01.000Z" })).toBe("too_early");
  expect(kindOf({ period: "day", period_start: "2026-11-16T15:00:00.000Z" })).toBe("paced");
  expect(kindOf({ period_start: "2026-11-16T15:30:00.000Z", runs_out_at: null })).toBe("lasts");
});
