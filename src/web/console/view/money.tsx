import { cents, usd } from "./format.ts";

/**
 * An amount, rounded to cents to the eye. The exact one is the text itself: it is what is copied, read aloud and shown on
 * hover. The rounded one is drawn by the stylesheet.
 */
export function Usd({ of }: { of: string | null | undefined }) {
  const exact = usd(of);
  const shown = of === null || of === undefined ? exact : cents(of);
  if (shown === exact) return <span class="number">{exact}</span>;
  return (
    <span class="number usd" title={exact} data-shown={shown}>
      <span>{exact}</span>
    </span>
  );
}
