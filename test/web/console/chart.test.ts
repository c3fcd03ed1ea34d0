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

/** No component is asynchronous, so the result is already text. */
function drawn(props: Partial<Parameters<typeof SpendChart>[0]>): string {
  const chart = SpendChart({ days: [], forecast: [], hrefOf: (date) => `/runs?from=${date}`, ...props });
  return html`${chart}` as string;
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
