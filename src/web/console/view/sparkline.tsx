import { count } from "./format.ts";

const HEIGHT = 20;

/** A small line of how something went, without axes. The figure that it belongs to stands beside it. */
export function Sparkline({ of, label }: { readonly of: readonly number[]; readonly label: string }) {
  const most = Math.max(1, ...of);
  const points = of.map((value, at) => `${at},${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${Math.max(1, of.length - 1)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: at most ${count(most)}, ${count(of.at(-1) ?? 0)} at the end`}
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
