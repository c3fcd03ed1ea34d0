import { type Unit, UNIT_TITLES, UNITS } from "./chart-scale.ts";

/** Links to the same chart in dollars, tokens or runs. */
export function UnitTabs({ unit, at }: { unit: Unit; at: (changes: Record<string, string>) => string }) {
  return (
    <nav class="tabs" aria-label="Count">
      {UNITS.map((name) => (
        <a href={at({ unit: name })} {...(name === unit ? { "aria-current": "true" } : {})}>
          {UNIT_TITLES[name]}
        </a>
      ))}
    </nav>
  );
}
