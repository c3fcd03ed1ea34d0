/** First characters that make a spreadsheet evaluate a text as a formula, in ASCII and in full width. */
const FORMULA = /^[\s]*[=+\-@\t\r＝＋－＠]/;

/** One CSV field (RFC 4180). An apostrophe keeps spreadsheets from evaluating a text as a formula. */
export function csvField(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
