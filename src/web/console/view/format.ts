/** How amounts, times and counts are written in the console. Amounts stay decimal strings. */

const WHOLE = /\B(?=(\d{3})+(?!\d))/g;

export function usd(amount: string | null | undefined): string {
  if (amount === null || amount === undefined) return "–";
  const [sign, digits] = amount.startsWith("-") ? ["-", amount.slice(1)] : ["", amount];
  const [whole = "0", fraction = "00"] = digits.split(".");
  return `${sign}$${whole.replace(WHOLE, ",")}.${fraction.padEnd(2, "0")}`;
}

/** Rounded to cents, half up. An amount of less than a cent is not written as nothing. */
export function cents(amount: string): string {
  const [sign, digits] = amount.startsWith("-") ? ["-", amount.slice(1)] : ["", amount];
  const [whole = "0", fraction = ""] = digits.split(".");
  if (fraction.length <= 2) return usd(amount);
  const hundredths = BigInt(whole + fraction.slice(0, 2)) + (fraction.charAt(2) >= "5" ? 1n : 0n);
  if (BigInt(whole) === 0n && Number(fraction.slice(0, 2)) === 0) return `${sign}<$0.01`;
  const text = String(hundredths).padStart(3, "0");
  return usd(`${sign}${text.slice(0, -2)}.${text.slice(-2)}`);
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : String(value).replace(WHOLE, ",");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2026-11-05` or a longer timestamp, as `5 Nov`. */
export function day(date: string): string {
  const [, month = "1", dayOfMonth = "1"] = date.slice(0, 10).split("-");
  return `${Number(dayOfMonth)} ${MONTHS[Number(month) - 1] ?? ""}`;
}

/** `5 Nov 2026, 14:03 UTC`; a timestamp with an offset keeps its own clock. */
export function formatMoment(timestamp: string | null | undefined): string {
  if (timestamp === null || timestamp === undefined) return "–";
  const offset = /[+-]\d\d:\d\d$/.exec(timestamp)?.[0];
  const zone = offset === undefined || offset === "+00:00" ? "UTC" : `UTC${offset}`;
  return `${day(timestamp)} ${timestamp.slice(0, 4)}, ${timestamp.slice(11, 16)} ${zone}`;
}

/** The end of something that may never end. */
export function formatEnd(timestamp: string | null | undefined): string {
  return timestamp ? formatMoment(timestamp) : "Never";
}

/** The fraction of `of` that `amount` is. A limit of zero is full. */
export function share(amount: string | number, of: string | number): number {
  const whole = Number(of);
  return whole > 0 ? Number(amount) / whole : 1;
}

export function percent(part: number): string {
  return `${part < 0.1 && part > 0 ? (part * 100).toFixed(1) : Math.floor(part * 100)} %`;
}

/** `spend_cap` as `Spend cap`. */
export function toWords(name: string): string {
  const spaced = name.replaceAll(/[_.]/g, " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns the heading of a name that tells calls and runs apart: `customer_id` is "Customer". */
export function dimensionTitle(name: string): string {
  return toWords(name.replace(/_id$/, ""));
}
