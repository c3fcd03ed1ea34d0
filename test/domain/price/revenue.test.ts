import { describe, expect, test } from "vitest";
import { parseUsd } from "../../../src/domain/price/money.ts";
import { accrueRevenue, type Revenue, revenueOf, untilToday } from "../../../src/domain/price/revenue.ts";
import type { ReportAsk } from "../../../src/domain/usage-report/ask.ts";
import { isByCustomer, withRevenue } from "../../../src/domain/usage-report/revenue.ts";
import { figuresOf, type ReportLine, totalOf } from "../../../src/domain/usage-report/rows.ts";
import { stretchesOf } from "../../../src/domain/usage-report/stretches.ts";

const nanos = (text: string) => parseUsd(text) ?? 0n;
const at = (text: string) => Date.parse(text);
const range = (from: string, to: string, timeZone = "UTC") => ({ fromMs: at(from), toMs: at(to), timeZone });

describe("an amount by the month", () => {
  test("is whole for a whole month, whatever its length and whoever's it is", () => {
    const fee = nanos("99.999999999");
    expect(accrueRevenue(fee, range("2026-02-01", "2026-03-01"))).toBe(fee);
    expect(accrueRevenue(fee, range("2026-02-01", "2026-05-01"))).toBe(3n * fee);
    const berlin = range("2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z", "Europe/Berlin");
    expect(accrueRevenue(fee, berlin)).toBe(fee);
    expect(accrueRevenue(fee, { ...berlin, timeZone: "UTC" })).not.toBe(fee);
  });

  test("is shared out by time within a month", () => {
    expect(accrueRevenue(nanos("300"), range("2026-11-01", "2026-11-11"))).toBe(nanos("100"));
    expect(accrueRevenue(nanos("310"), range("2026-10-31", "2026-11-01"))).toBe(nanos("10"));
    expect(accrueRevenue(nanos("300"), range("2026-11-11", "2026-11-11"))).toBe(0n);
  });

  test("adds up exactly, however a range is cut", () => {
    const fee = 1_000_000_000_000_000_007n;
    const whole = accrueRevenue(fee, range("2026-01-01", "2027-01-01"));
    let sum = 0n;
    for (let from = at("2026-01-01"), step = 1; from < at("2027-01-01"); step += 7_919_000) {
      const to = Math.min(at("2027-01-01"), from + step);
      sum += accrueRevenue(fee, { fromMs: from, toMs: to, timeZone: "UTC" });
      from = to;
    }
    expect(sum).toBe(whole);
    expect(whole).toBe(12n * fee);
  });

  test("ends with today", () => {
    const month = range("2026-11-01", "2026-12-01");
    expect(untilToday(month, at("2026-11-10T05:00:00Z")).toMs).toBe(at("2026-11-11"));
    expect(untilToday(month, at("2027-01-01")).toMs).toBe(month.toMs);
  });
});

describe("a markup", () => {
  const of = (markup: string, cost: bigint) =>
    revenueOf({ perMonth: null, markup: nanos(markup) }, range("2026-11-01", "2026-12-01"), cost);

  test.each([
    ["0", 100n, 100n],
    ["0.3", 100n, 130n],
    ["1000", nanos("999999999"), nanos("999999999") * 1001n],
    ["0.000000001", 999_999_999n, 999_999_999n],
    ["0.000000001", 1_000_000_000n, 1_000_000_001n],
    // More was given back than was spent: so much goes back to the customer, rounded down too.
    ["0.5", -3n, -5n],
  ])("of %s on %s nano-dollars earns %s", (markup, cost, earned) => {
    expect(of(markup, cost)).toBe(earned);
  });
});

describe("a report by customer", () => {
  const time = (name: "day" | "month", from: string, to: string) => ({
    kind: "time" as const,
    stretches: stretchesOf(name, { fromMs: at(from), toMs: at(to), timeZone: "UTC" }),
  });
  const byCustomer = { kind: "name" as const, name: "customer_id" as const };
  const november = { fromMs: at("2026-11-01"), toMs: at("2026-12-01"), filters: {} };
  const line = (names: readonly (string | null)[], cost: bigint): ReportLine => ({
    names,
    nanos: cost,
    runs: 1,
    tokens: 0,
    counts: [],
  });
  const pays = (perMonth: string | null, markup: string | null): Revenue => ({
    perMonth: perMonth === null ? null : nanos(perMonth),
    markup: markup === null ? null : nanos(markup),
  });
  const revenues = new Map([
    ["flat", pays("300", null)],
    ["plus", pays(null, "0.5")],
    ["both", pays("30", "1")],
  ]);
  const earned = { revenues, timeZone: "UTC", nowMs: at("2027-01-01") };
  const worthIn = (lines: readonly ReportLine[], ask: ReportAsk) => {
    const all = withRevenue(lines, ask, earned);
    if (!Array.isArray(all)) throw new Error("refused");
    return all;
  };
  const shown = (lines: readonly ReportLine[]) =>
    lines.map((one) => [one.names.join(), figuresOf(one).revenue_usd, figuresOf(one).margin_usd]);

  test("says what each pays, and null where nobody said", () => {
    const lines = [line(["flat"], nanos("400")), line(["plus"], nanos("10")), line(["other"], nanos("1"))];
    const all = worthIn(lines, { ...november, groupBy: [byCustomer] });
    expect(shown(all)).toEqual([
      ["flat", "300.00", "-100.00"],
      ["plus", "15.00", "5.00"],
      ["other", null, null],
      ["both", "30.00", "30.00"],
    ]);
    const total = figuresOf(totalOf(all, true));
    expect([total.revenue_usd, total.margin_usd, total.cost_usd]).toEqual(["345.00", "-65.00", "411.00"]);
    expect(figuresOf(totalOf([], true))).toMatchObject({ revenue_usd: null, margin_usd: null });
    expect(figuresOf(totalOf([]))).not.toHaveProperty("revenue_usd");
  });

  test("adds up to the same by any times, also for days without a run", () => {
    const groupBy = [
      time("day", "2026-11-01", "2026-12-01"),
      byCustomer,
      time("month", "2026-11-01", "2026-12-01"),
    ];
    const all = worthIn([line(["2026-11-03", "both", "2026-11"], nanos("2"))], { ...november, groupBy });
    expect(all).toHaveLength(60);
    expect(figuresOf(totalOf(all, true)).revenue_usd).toBe("334.00");
    expect(shown(all)[0]).toEqual(["2026-11-03,both,2026-11", "5.00", "3.00"]);
  });

  test("is of one customer where it is filtered by one", () => {
    const groupBy = [time("day", "2026-11-01", "2026-12-01")];
    const all = worthIn([], { ...november, filters: { customer_id: "flat" }, groupBy });
    expect(all).toHaveLength(30);
    expect(shown(all)[0]).toEqual(["2026-11-01", "10.00", "10.00"]);
  });

  test("earns nothing for days that have not come", () => {
    const soon = { ...earned, nowMs: at("2026-11-15T12:00:00Z") };
    const all = withRevenue([], { ...november, groupBy: [byCustomer] }, soon) as ReportLine[];
    expect(shown(all)[0]).toEqual(["flat", "150.00", "150.00"]);
  });

  test("is refused where it would have too many lines", () => {
    const many = new Map(Array.from({ length: 2000 }, (_, number) => [`c${number}`, pays("1", null)]));
    const groupBy = [time("day", "2026-11-01", "2026-12-01"), byCustomer];
    expect(withRevenue([], { ...november, groupBy }, { ...earned, revenues: many })).toMatchObject({
      status: 422,
    });
  });

  test.each<[string, Partial<ReportAsk>, boolean]>([
    ["by customer", { groupBy: [byCustomer] }, true],
    ["by day of one customer", { groupBy: [], filters: { customer_id: "c" } }, true],
    ["by customer and model", { groupBy: [byCustomer, { kind: "name", name: "model" }] }, false],
    ["by customer of one model", { groupBy: [byCustomer], filters: { model: "m" } }, false],
    ["by customer with a tag", { groupBy: [byCustomer], tags: [{ name: "a", value: "b" }] }, false],
    ["by customer without a user", { groupBy: [byCustomer], without: ["user_id"] }, false],
    ["by month", { groupBy: [time("month", "2026-11-01", "2026-12-01")] }, false],
  ])("%s: %s", (_, ask, is) => {
    expect(isByCustomer({ ...november, groupBy: [], ...ask })).toBe(is);
  });
});
