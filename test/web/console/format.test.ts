import { expect, test } from "vitest";
import { cents } from "../../../src/web/console/view/format.ts";
import { changedFields } from "../../../src/web/console/view/changed-fields.ts";
import { rangeOf } from "../../../src/web/console/view/range.ts";

test.each([
  ["12.345", "$12.35"],
  ["12.344999999", "$12.34"],
  ["0.995", "$1.00"],
  ["1999999.999", "$2,000,000.00"],
  ["-3.336", "-$3.34"],
  ["0.004", "<$0.01"],
  ["-0.000000001", "-<$0.01"],
  ["0.00", "$0.00"],
  ["7.5", "$7.50"],
])("%s is written as %s", (amount, text) => {
  expect(cents(amount)).toBe(text);
});

test.each([
  ["limit_usd", "1250.5", "Limit", "$1,250.50"],
  ["limit_tokens", 20_000, "Limit tokens", "20,000"],
  ["hard_stop_percent", 95, "Hard stop", "95 %"],
  ["scope_id", null, "Scope", "none"],
  ["count_before", true, "Count before", "yes"],
  ["starts_at", "2026-11-05T14:03:00Z", "Starts at", "5 Nov 2026, 14:03 UTC"],
  ["alert_thresholds", [], "Alert thresholds", "none"],
  ["alert_thresholds", [50, 80], "Alert thresholds", "50, 80"],
  ["match", { customer_id: "acme", models: ["m1", "m2"] }, "Match", "Customer acme, Models m1, m2"],
])("the field %s of a change, %j, is read as %s: %s", (name, sent, title, value) => {
  expect(changedFields({ [name]: sent })).toEqual([{ title, value }]);
});

const NOW = Date.parse("2026-11-16T09:30:00Z");
const ask = (query: string) => rangeOf(new URLSearchParams(query), NOW);

test("ranges end today, and are compared with as many days before", () => {
  expect(ask("range=today")).toMatchObject({
    from: "2026-11-16",
    to: "2026-11-17",
    previous: { from: "2026-11-15", to: "2026-11-16" },
  });
  expect(ask("range=7d")).toMatchObject({ from: "2026-11-10", days: 7, previous: { from: "2026-11-03" } });
  expect(ask("")).toMatchObject({ name: "30d", from: "2026-10-18" });
});

test("a month to date is compared with the same days of the month before", () => {
  expect(ask("range=month")).toMatchObject({
    from: "2026-11-01",
    previous: { from: "2026-10-01", to: "2026-10-17" },
  });
  const march = rangeOf(new URLSearchParams("range=month"), Date.parse("2026-03-31T12:00:00Z"));
  expect(march.previous).toEqual({ from: "2026-02-01", to: "2026-03-01" });
});

test.each([
  ["range=custom&from=2026-11-01&to=2026-11-01", "after the first"],
  ["range=custom&from=yesterday&to=today", "two dates"],
  ["range=custom&from=2026-01-01&to=2026-11-01", "at most 90 days"],
])("%s is explained, and the usual days are shown", (query, text) => {
  const range = ask(query);
  expect(range.problem).toContain(text);
  expect(range.name).toBe("30d");
});
