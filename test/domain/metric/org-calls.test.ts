import { expect, test } from "vitest";
import type { OrgCallRow } from "../../../src/contract/metrics.ts";
import {
  hoursOf,
  mergeOrgCalls,
  OrgCallCounts,
  RecentOrgCalls,
} from "../../../src/domain/metric/org-calls.ts";

const row = (orgId: string, calls: number): OrgCallRow => [orgId, calls, 0, 0, 0, 0];
const MINUTE = 60_000;
const START = 1_000_000_000_000;

test("an isolate counts calls, refusals, errors and the slowest of each org, and begins anew when it is asked", () => {
  const counts = new OrgCallCounts();
  counts.note("a", { status: 200, code: null, place: "edge", waitedMs: 0 });
  counts.note("a", { status: 402, code: "budget_exceeded", place: "edge", waitedMs: 0 });
  counts.note("a", { status: 200, code: "budget_exceeded", place: "object", waitedMs: 90 });
  counts.note("a", { status: 503, code: "service_unavailable", place: "object", waitedMs: 12 });
  counts.note("b", { status: 200, code: null, place: "other", waitedMs: 7 });
  expect(counts.take()).toEqual([
    ["a", 4, 2, 1, 1100, 90],
    ["b", 1, 0, 0, 1000, 7],
  ]);
  expect(counts.take()).toEqual([]);
});

test("many orgs at once do not grow its memory, and those that it knows are counted on", () => {
  const counts = new OrgCallCounts();
  for (let nth = 0; nth < 20_000; nth += 1)
    counts.note(`org-${nth}`, { status: 200, code: null, place: "edge", waitedMs: 0 });
  counts.note("org-0", { status: 200, code: null, place: "edge", waitedMs: 0 });
  const rows = counts.take();
  expect([rows.length, rows[0]]).toEqual([5000, ["org-0", 2, 0, 0, 100, 0]]);
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
  expect(mergeOrgCalls(1, [[row("a", 3), row("b", 4)], [row("a", 3)]])).toEqual([row("a", 6)]);
});

test("the minutes of the last hour are told apart, the one that is not over last, and each is forgotten after an hour", () => {
  const recent = new RecentOrgCalls();
  const start = Math.floor(START / MINUTE) * MINUTE;
  recent.add([["a", 5, 2, 1, 0, 30]], start);
  recent.add([["a", 1, 0, 0, 0, 90]], start + MINUTE - 1);
  recent.add([["a", 4, 0, 0, 0, 10], row("b", 9)], start + 2 * MINUTE);
  expect(recent.lastHour(["a", "quiet"], start + 2 * MINUTE)).toEqual([
    ["a", 57, 6, 2, 1, 90],
    ["a", 59, 4, 0, 0, 10],
  ]);
  expect(recent.lastHour(["a"], start + 60 * MINUTE)).toEqual([["a", 1, 4, 0, 0, 10]]);
  expect(recent.lastHour(["a"], start + 62 * MINUTE)).toEqual([]);
});

test("a reader whose clock is behind loses nothing of what is newer", () => {
  const recent = new RecentOrgCalls();
  const start = Math.floor(START / MINUTE) * MINUTE;
  recent.add([row("a", 5)], start);
  expect(recent.lastHour(["a"], start - 1)).toEqual([["a", 59, 5, 0, 0, 0]]);
  expect(recent.busiest(1, start - 1)).toEqual([row("a", 5)]);
  expect(recent.lastHour(["a"], start + MINUTE)).toEqual([["a", 58, 5, 0, 0, 0]]);
});

test("of a minute that is over, the busiest orgs are kept", () => {
  const recent = new RecentOrgCalls();
  const orgs = Array.from({ length: 2000 }, (_, nth) => row(`org-${nth}`, nth + 1));
  recent.add(orgs, START);
  recent.add([row("next", 1)], START + MINUTE);
  const left = recent.lastHour(
    orgs.map(([orgId]) => orgId),
    START + MINUTE,
  );
  expect([left.length, Math.min(...left.map(([, , calls]) => calls))]).toEqual([500, 1501]);
});

test("minutes of several shards are added up, and the slowest of them is kept", () => {
  const hour = hoursOf([
    ["a", 58, 2, 1, 0, 30],
    ["a", 58, 3, 0, 1, 20],
    ["b", 0, 1, 0, 0, 5],
  ]);
  expect([hour.size, hour.get("a")?.slowest_wait_ms, hour.get("a")?.calls.length]).toEqual([2, 30, 60]);
  expect(["calls", "refusals", "errors"].map((of) => hour.get("a")?.[of as "calls"][58])).toEqual([5, 1, 1]);
  expect(hour.get("a")?.calls.reduce((sum, one) => sum + one)).toBe(5);
});
