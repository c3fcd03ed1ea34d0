import { formatUsd, parseUsd } from "./money.ts";

/** A share of a limit, in billionths, as a plain decimal: `0.8`, `1`. */
export function formatShare(share: bigint): string {
  return formatUsd(share).replace(/\.?0+$/, "");
}

/** The same share, as it is shown. */
export function plainShare(text: string): string {
  return formatShare(parseUsd(text) ?? 0n);
}
