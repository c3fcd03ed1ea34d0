import { type DayAmount, type Unit, formatChartAmount } from "./chart-scale.ts";
import { day, percent, share } from "./format.ts";

export const HEIGHT = 100;
export const SLOT = 10;

interface ChartDay {
  readonly of: DayAmount;
  readonly unit: Unit;
  readonly cap: string | null;
  /** The same day of the period before. */
  readonly before: DayAmount | null;
}

/** A day in words: its amount, its share of the cap, its parts, and the same day of the period before. */
export function wordsOf({ of, unit, cap, before }: ChartDay): readonly string[] {
  const ofCap = cap === null ? "" : `, ${percent(share(of.amount, cap))} of the cap`;
  const parts = (of.parts ?? []).filter(({ amount }) => Number(amount) > 0);
  return [
    `${day(of.date)}: ${formatChartAmount(of.amount, unit)}${ofCap}`,
    ...parts.map(({ name, amount }) => `${name}: ${formatChartAmount(amount, unit)}`),
    ...(before === null ? [] : [`Before, ${day(before.date)}: ${formatChartAmount(before.amount, unit)}`]),
  ];
}

/** The parts of a day, from the bottom up. A script shows the words beside the bar; without one, the browser does. */
export function Bar(
  props: ChartDay & {
    readonly x: number;
    readonly height: (amount: number) => number;
    readonly href: string;
  },
) {
  const { of, x, height, href } = props;
  const parts = of.parts ?? [{ name: "", amount: of.amount }];
  let base = HEIGHT;
  return (
    <a href={href}>
      <title>{wordsOf(props).join("\n")}</title>
      <rect class="slot" data-date={of.date} x={x} y="0" width={SLOT} height={HEIGHT} />
      {parts.map(({ amount }, index) => {
        const tall = height(Math.max(0, Number(amount)));
        base -= tall;
        return tall === 0 ? null : (
          <rect
            class={`s${index}`}
            x={x + 1.5}
            y={base.toFixed(2)}
            width={SLOT - 3}
            height={tall.toFixed(2)}
          />
        );
      })}
    </a>
  );
}
