import { DAY_MS, HOUR_MS } from "../../contract/durations.ts";
import type { ExportPeriod } from "../../contract/lists.ts";

const LENGTH_MS: Readonly<Record<ExportPeriod, number>> = { hour: HOUR_MS, day: DAY_MS };

export interface Window {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
}

/** The start of the window, in UTC, that a moment lies in. */
export function windowStart(every: ExportPeriod, atMs: number): number {
  return atMs - (atMs % LENGTH_MS[every]);
}

/** From a moment to the end of its period: a whole period, unless the period was changed in between. */
export function windowFrom(every: ExportPeriod, fromMs: number): Window {
  return { fromMs, toMs: windowStart(every, fromMs) + LENGTH_MS[every] };
}

const compact = (ms: number) => new Date(ms).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");

/** `20261116T050000Z_20261116T060000Z`: what is in a folder depends on its window alone. */
export function windowFolder({ fromMs, toMs }: Window): string {
  return `${compact(fromMs)}_${compact(toMs)}`;
}

export type FileKind = "runs" | "corrections" | "charges";

const DIGITS = 5;

export function windowFile(kind: FileKind, number: number, extension: string): string {
  return `${kind}-${String(number).padStart(DIGITS, "0")}.${extension}`;
}

export const MANIFEST = "manifest.json";

/** The folder of an export's window, below its destination's prefix. */
export function placeOf(prefix: string, name: string, window: Window): string {
  const base = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return `${base}${name}/${windowFolder(window)}`;
}

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = HOUR_MS;

/** A window that failed is tried again for as long as it takes. */
export function retryWaitMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT_MS);
}
