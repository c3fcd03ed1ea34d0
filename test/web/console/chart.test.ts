import { html } from "hono/html";
import { describe, expect, test } from "vitest";
import { axis, roundUp } from "../../../src/web/console/view/chart-scale.ts";
import { Meter, SpendChart } from "../../../src/web/console/view/charts.tsx";
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
    expect(ticks.length).toBeLessThanOrEqual(6);
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

  test("counts tokens and runs in their own words, rounded", () => {
    const text = drawn({ days: [{ date: "2026-11-01", amount: "1499.6" }], unit: "tokens" });
    expect(text).toContain("<title>1 Nov: 1,500 tokens</title>");
    expect(text).toContain('aria-label="Tokens by day over 1 days, 1,500 tokens in total."');
    expect(text).toContain("<span>1.5k</span>");
    expect(text).toContain("</svg>Tokens</span>");
    expect(text).toContain('data-title="Total"><div>1,500 tokens<');
    expect(drawn({ days })).toContain("</svg>Spent</span>");
  });

  const rectsIn = (text: string) =>
    [...text.matchAll(/<rect class="(s\d)" x="([\d.]+)" y="([\d.-]+)" width="7" height="([\d.-]+)"/g)].map(
      ([, ...rect]) => rect.join(" "),
    );

  test("stacks the parts of a day from the bottom up in the colors of the legend, and draws nothing for nothing", () => {
    const text = drawn({ days, parts });
    expect(rectsIn(text)).toEqual(["s0 1.5 25.00 75.00", "s1 1.5 0.00 25.00"]);
    expect(text).toMatch(/<rect class="s1" width="12"[^>]*><\/rect><\/svg><b title="two">two<\/b>/);
    expect(text.match(/class="slot"/g)).toHaveLength(2);
    const credited = [
      { name: "one", amount: "-1.00" },
      { name: "two", amount: "2.00" },
    ];
    const odd = drawn({ days: [{ date: "2026-11-01", amount: "1.00", parts: credited }, ...days] });
    expect(rectsIn(odd)[0]).toBe("s1 1.5 50.00 50.00");
    expect(odd).toContain("<title>1 Nov: $1.00\ntwo: $2.00</title>");
  });

  test("leads from each bar to its own day, and compares it with its own day before", () => {
    const text = drawn({ days, before: [...before, { date: "2026-11-01", amount: "90.00" }] });
    for (const { date } of days) expect(text).toContain(`<a href="/runs?from=${date}"><title>`);
    expect(text).toContain("<title>2 Nov: $0.00\nBefore, 31 Oct: $5.00</title>");
    const befores = [...text.matchAll(/data-title="Before"><div>([^<]*)</g)].map(([, shown]) => shown);
    expect(befores).toEqual(["$2.00", "$5.00"]);
    // A day more of a longer month is neither drawn nor part of the scale.
    expect(text).toContain('<polyline class="before" points="5,60.00 15,0.00">');
    const short = drawn({ days, before: [{ date: "2026-10-30", amount: "-2.00" }] });
    expect(short).toContain('<polyline class="before" points="5,100.00">');
    expect(short).toContain('data-title="Before"><div>–<');
  });

  test("draws the forecast behind the days: its band between the percentiles, its median, and where it begins", () => {
    const forecast = [
      { date: "2026-11-03", p10: 1, p50: 2, p90: 8 },
      { date: "2026-11-04", p10: 2, p50: 4, p90: 6 },
    ];
    const text = drawn({ days, forecast });
    expect(text).toContain('<line class="now" x1="20" x2="20"');
    expect(text).toContain('<polygon class="band" points="25,0.00 35,25.00 35,75.00 25,87.50">');
    expect(text).toContain('<polyline class="median" points="25,75.00 35,50.00">');
    expect(text).toContain('viewBox="0 0 40 100"');
  });

  test("draws the cap where it can be seen, and names it where it would press the bars flat", () => {
    const near = drawn({ days, cap: "10.00" });
    expect(near).toContain('<line class="cap" x1="0" x2="20" y1="0" y2="0">');
    expect(rectsIn(near)[0]).toBe("s0 1.5 70.00 30.00");
    expect(near).toContain("Daily cap $10.00</span>");
    expect(drawn({ days, cap: "3.00" })).toContain('<line class="cap" x1="0" x2="20" y1="25" y2="25">');
    const far = drawn({ days, cap: "10.01" });
    expect(far).not.toContain('class="cap" x1');
    expect(far).toContain("Daily cap $10.01, above this chart");
  });

  test("says in a sentence what it shows, for those who do not see it", () => {
    const forecast = ahead(3, 2);
    expect(drawn({ days: [...days, ...days], before, forecast, cap: "10.00" })).toContain(
      'aria-label="Spend by day over 4 days, $8.00 in total. In the period before: $7.00. Expected over the next 2: $4.00. The daily cap is $10.00."',
    );
  });

  test("has its scale beside it, from the top down", () => {
    const [, scale = ""] = /<div class="plot-y"[^>]*>(.*?)<\/div>/.exec(drawn({ days })) ?? [];
    expect(scale.match(/[$\d.]+/g)).toEqual(["$4", "$3", "$2", "$1", "$0"]);
  });
});

describe("a scale", () => {
  test.each([
    [0, 1],
    [-3, 1],
    [1, 1],
    [1.2, 1.5],
    [2.1, 3],
    [7, 8],
    [9, 10],
    [120, 150],
    [0.05, 0.05],
  ])("up to %d ends at %d", (highest, top) => expect(roundUp(highest)).toBeCloseTo(top, 12));

  test.each([
    [1000, "usd", "$1k"],
    [999, "usd", "$999"],
    [1_500_000, "tokens", "1.5m"],
    [2_000_000_000, "tokens", "2bn"],
    [0.1 + 0.2, "usd", "$0.3"],
    [0, "runs", "0"],
  ] as const)("writes %d %s as %s", (value, unit, text) => expect(axis(value, unit)).toBe(text));
});

describe("a meter", () => {
  const meter = (spent: number, held: number) =>
    [html`${Meter({ spent, held, label: "Used" })}` as string].join("");

  test.each([
    [0.5, 0.29, "meter"],
    [0.5, 0.3, "meter warn"],
    [0.7, 0.3, "meter bad"],
    [1.2, 0, "meter bad"],
  ])("with %d spent and %d reserved is a %s", (spent, held, tone) => {
    expect(meter(spent, held)).toContain(`class="${tone}"`);
  });

  test("is never longer than its limit, and says how far that is passed", () => {
    const text = meter(1.25, 0.5);
    expect(text).toContain('aria-label="Used: 125 % used"');
    expect([...text.matchAll(/width="([\d.]+)"/g)].map(([, width]) => width)).toEqual(["100.00", "0.00"]);
    expect(meter(0.75, 0.5)).toContain('x="75.00" width="25.00"');
  });
});
