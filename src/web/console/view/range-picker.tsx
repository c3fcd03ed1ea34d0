import { type Range, RANGES } from "./range.ts";

/** Links to the usual ranges, and a form for any other. */
export function RangePicker(props: {
  readonly range: Range;
  readonly path: string;
  /** What else the page's address keeps. Empty values are left out. */
  readonly keep: Readonly<Record<string, string>>;
}) {
  const { range, path } = props;
  const kept = Object.entries(props.keep).filter(([, value]) => value !== "");
  const at = (name: string) => `${path}?${new URLSearchParams([...kept, ["range", name]])}`;
  return (
    <div class="range">
      <nav class="tabs" aria-label="Range">
        {RANGES.filter(([name]) => name !== "custom").map(([name, title]) => (
          <a href={at(name)} {...(name === range.name ? { "aria-current": "true" } : {})}>
            {title}
          </a>
        ))}
      </nav>
      <details open={range.name === "custom" || range.problem !== null}>
        <summary>Other days</summary>
        <form class="inline-form" method="get" action={path}>
          {kept.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="range" value="custom" />
          <label for="range-from">From</label>
          <input id="range-from" type="date" name="from" value={range.from} required />
          <label for="range-to">before</label>
          <input id="range-to" type="date" name="to" value={range.to} required />
          <button type="submit">Show</button>
        </form>
        {range.problem !== null && (
          <p class="error" role="alert">
            {range.problem}
          </p>
        )}
      </details>
    </div>
  );
}
