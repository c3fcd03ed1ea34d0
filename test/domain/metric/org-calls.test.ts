import { expect, test } from "vitest";
import type { OrgCallRow } from "../../../src/contract/metrics.ts";
import { merged, OrgCallCounts, RecentOrgCalls } from "../../../src/domain/metric/org-calls.ts";

const row = (orgId: string, calls: number): OrgCallRow => [orgId, calls, 0, 0, 0];
const MINUTE = 60_000;
const START = 1_000_000_000_000;

test("an isolate counts calls, refusals and errors of each org, and begins anew when it is asked", () => {
  const counts = new OrgCallCounts();
  counts.note("a", { status: 200, code: null, place: "edge" });
  counts.note("a", { status: 402, code: "budget_exceeded", place: "edge" });
  counts.note("a", { status: 200, code: "budget_exceeded", place: "object" });
  counts.note("a", { status: 503, code: "service_unavailable", place: "object" });
  counts.note("b", { status: 200, code: null, place: "other" });
  expect(counts.take()).toEqual([
    ["a", 4, 2, 1, 1100],
    ["b", 1, 0, 0, 1000],
  ]);
  expect(counts.take()).toEqual([]);
});

test("many orgs at once do not grow its memory, and those that it knows are counted on", () => {
  const counts = new OrgCallCounts();
  for (let nth = 0; nth < 20_000; nth += 1)
    counts.note(`org-${nth}`, { status: 200, code: null, place: "edge" });
  counts.note("org-0", { status: 200, code: null, place: "edge" });
  const rows = counts.take();
  expect([rows.length, rows[0]]).toEqual([5000, ["org-0", 2, 0, 0, 100]]);
});

test("the busiest of the last minute come first, and what is older is forgotten", () => {
  const recent = new RecentOrgCalls();
  recent.add([row("old", 900)], START);
  recent.add([row("a", 5), row("b", 7)], START + MINUTE / 2);
  recent.add([row("a", 5)], START + MINUTE - 1);
  expect(recent.busiest(10, START + MINUTE - 1)).toEqual([row("old", 900), row("a", 10), row("b", 7)]);
  expect(recent.busiest(1, START + MINUTE)).toEqual([row("a", 10)]);
  expect(recent.busiest(10, START + 3 * MINUTE)).toEqual([]);
});

test("a flood of orgs leaves a bound on what a shard remembers", () => {
  const recent = new RecentOrgCalls();
  for (let step = 0; step < 12; step += 1) {
    const rows = Array.from({ length: 30_000 }, (_, nth) => row(`org-${step}-${nth}`, 1));
    recent.add(rows, START + step * 10_000);
  }
  expect(recent.busiest(Number.POSITIVE_INFINITY, START + 110_000).length).toBe(6 * 5000);
});

test("lists of several shards are added up before the busiest are chosen", () => {
  expect(merged(1, [[row("a", 3), row("b", 4)], [row("a", 3)]])).toEqual([row("a", 6)]);
});
