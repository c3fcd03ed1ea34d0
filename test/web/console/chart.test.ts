import { html } from "hono/html";
import { describe, expect, test } from "vitest";
import { SpendChart } from "../../../src/web/console/view/charts.tsx";
import { dateOf } from "../../../src/web/console/view/range.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 8, 19);
const dateAt = (index: number) => dateOf(START + index * DAY_MS);

const daysOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ date: dateAt(index), amount: String(index + 1) }));
const ahead = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ date: dateAt(from + index), p10: 1, p50: 2, p90: 3 }));

/** No component is asynchronous, so the result is text, but of a kind that matchers do not take for it. */
function drawn(props: Partial<Parameters<typeof SpendChart>[0]>): string {
  const chart = SpendChart({ days: [], forecast: [], hrefOf: (date) => `/runs?from=${date}`, ...props });
  return [html`${chart}` as string].join("");
}

describe("dates below a chart", () => {
  test.for([
    [1, 0],
    [7, 0],
    [30, 0],
    [30, 14],
    [31, 3],
    [90, 0],
  ] as const)("of %i days and %i ahead stand at the centre of their bar", ([days, more]) => {
    const text = drawn({ days: daysOf(days), forecast: ahead(days, more) });
    const width = Number(/viewBox="0 0 (\d+) /.exec(text)?.[1]);
    const bars = new Map(
      [...text.matchAll(/class="slot" data-date="([^"]+)" x="(\d+)" y="0" width="(\d+)"/g)].map(
        ([, date = "", x, wide]) => [date, Number(x) + Number(wide) / 2],
      ),
    );
    const ticks = [...text.matchAll(/<text x="([\d.]+)%"[^>]*data-date="([^"]+)"/g)];
    expect(bars.size).toBe(days);
    expect(ticks.length).toBeGreaterThan(0);
    for (const [, percent, date = ""] of ticks) {
      const centre = bars.get(date) ?? ((Date.parse(date) - START) / DAY_MS + 0.5) * 10;
      expect((Number(percent) / 100) * width).toBeCloseTo(centre, 1);
    }
  });
});

describe("a chart", () => {
  const days = [
    {
      date: "2026-11-01",
      amount: "4.00",
      parts: [
        { name: "<b>one</b>", amount: "3.00" },
        { name: "two", amount: "1.00" },
      ],
    },
    { date: "2026-11-02", amount: "0.00", parts: [] },
  ];
  const before = [
    { date: "2026-10-30", amount: "2.00" },
    { date: "2026-10-31", amount: "5.00" },
  ];
  const parts = ["<b>one</b>", "two"];

  test("says of each day its amount, its share of the cap, its parts and the day before, escaped", () => {
    const text = drawn({ days, parts, before, cap: "10.00" });
    expect(text).toContain(
      "<title>1 Nov: $4.00, 40 % of the cap\n&lt;b&gt;one&lt;/b&gt;: $3.00\ntwo: $1.00\nBefore, 30 Oct: $2.00</title>",
    );
    expect(text).not.toContain("<b>one");
  });

  test("draws the period before as a line on the same scale", () => {
    const text = drawn({ days, parts, before });
    // The highest is 5, so 5 is the top of the chart and 2 is drawn at 60 from the top.
    expect(text).toContain('<polyline class="before" points="5,60.00 15,0.00">');
    expect(text).toContain("Before: 30 Oct to 31 Oct");
    expect(drawn({ days, parts })).not.toContain('class="before"');
  });

  test("has its figures as a table", () => {
    const [, table = ""] = drawn({ days, parts, before, cap: "10.00" }).split("As a table");
    const cells = [...table.matchAll(/data-title="([^"]*)"><div>(?:<a[^>]*>)?([^<]*)/g)].map(
      ([, title, shown]) => [title, shown],
    );
    expect(cells.slice(0, 6)).toEqual([
      ["Day", "1 Nov"],
      ["Total", "$4.00"],
      ["&lt;b&gt;one&lt;/b&gt;", "$3.00"],
      ["two", "$1.00"],
      ["Of the cap", "40 %"],
      ["Before", "$2.00"],
    ]);
  });

  test("counts tokens and runs in their own words", () => {
    const text = drawn({ days: [{ date: "2026-11-01", amount: "1500" }], unit: "tokens" });
    expect(text).toContain("<title>1 Nov: 1,500 tokens</title>");
    expect(text).toContain("<span>1.5k</span>");
  });
});
