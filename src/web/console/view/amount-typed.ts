/** Amounts and shares as people type them, and as the API takes them. */

const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/;

/** `$1,250.00` as `1250.00`. Text that is no amount stays as typed, so that the API reports the error. */
export function amountTyped(text: string): string {
  const bare = text.replace(/^(?:us)?\s*\$\s*/i, "").replace(/\s*(?:usd|dollars?)$/i, "");
  const plain = GROUPED.test(bare) ? bare.replaceAll(",", "") : bare;
  return /^\d+(\.\d+)?$/.test(plain) ? plain : text;
}

/** Returns the problem of an amount that has a comma before its cents. Null: it has none there. */
export function commaProblem(text: string): string | null {
  const [, whole, cents] = /^[^\d]*(\d+|\d{1,3}(?:\.\d{3})+),(\d{1,2})[^\d]*$/.exec(text.trim()) ?? [];
  if (whole === undefined || cents === undefined) return null;
  return `has a comma before its cents. Write ${whole.replaceAll(".", "")}.${cents}`;
}

/** `80%` as `0.8`. Everything else stays as typed. */
function shareTyped(text: string): string {
  const [, whole, fraction = ""] = /^(\d{1,4})(?:\.(\d{1,7}))?%$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole.padStart(3, "0");
  return trimmed(`${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`);
}

/** The shares in a text, in any of the ways that people separate them. */
export function sharesTyped(text: string): readonly string[] {
  return text
    .replaceAll(/\s+%/g, "%")
    .split(/[\s,;]+/)
    .filter((part) => part !== "")
    .map(shareTyped);
}

/** `0.8` as `80%`. */
export function shareShown(share: string): string {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(share) ?? [];
  if (whole === undefined) return share;
  const digits = fraction.padEnd(2, "0");
  return `${trimmed(`${whole}${digits.slice(0, 2)}.${digits.slice(2)}`)}%`;
}

/** Without zeros that say nothing. */
function trimmed(number: string): string {
  return number.replace(/\.?0*$/, (end) => (number.includes(".") ? "" : end)).replace(/^0+(?=\d)/, "");
}
