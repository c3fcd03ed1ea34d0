/** How an amount changed since the period before, as a share of it. */
export type AmountChange =
  | { readonly kind: "none" | "new" | "same" }
  | { readonly kind: "more" | "less"; readonly text: string };

/** Beyond this, a share says less than a factor. */
const MOST_PERCENT = 999;

/** Returns the share of the earlier amount by which it changed: infinite for what is new, null if there was and is nothing. */
export function shareOfChange(now: string | number, before: string | number): number | null {
  const [amount, earlier] = [Number(now), Number(before)];
  if (earlier <= 0) return amount > 0 ? Infinity : null;
  return (amount - earlier) / earlier;
}

export function changeOf(now: string | number, before: string | number): AmountChange {
  const share = shareOfChange(now, before);
  if (share === null || share === Infinity) return { kind: share === null ? "none" : "new" };
  const kind = share > 0 ? "more" : "less";
  const rounded = Math.round(Math.abs(share) * 100);
  if (share === 0) return { kind: "same" };
  if (rounded === 0) return { kind, text: "<1 %" };
  return { kind, text: rounded > MOST_PERCENT ? `${Math.round(share + 1)} times` : `${rounded} %` };
}

/** Stands beside an amount: `▲ 30 %`. Arrows are for the eye; what is read aloud are words. */
export function Change({ now, before }: { now: string | number; before: string | number }) {
  const changed = changeOf(now, before);
  if (!("text" in changed)) {
    const words = { none: null, new: "new", same: "= as before" }[changed.kind];
    return words === null ? null : <span class="change">{words}</span>;
  }
  const isMore = changed.kind === "more";
  return (
    <span class={isMore ? "change up" : "change down"}>
      <span aria-hidden="true">{isMore ? "▲" : "▼"} </span>
      {changed.text}
      <span class="hidden">{isMore ? " more" : " less"} than before</span>
    </span>
  );
}
