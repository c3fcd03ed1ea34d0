import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";
import type { OrgCallRow, OrgMinuteRow } from "../../contract/metrics.ts";
import type { OrgHour } from "../../contract/resources/admin-overview.ts";

/** How busy orgs are, counted in memory: what is lost with an isolate or an object is missing for an hour. */

/** Only orgs that exist are counted, and of those so many at once. */
const MOST_ORGS = 5000;
const STEP_MS = 10_000;
const MINUTE_STEPS = 6;
const HOUR_MINUTES = HOUR_MS / MINUTE_MS;
/** An hour of many orgs would be most of what an object may keep in memory. */
const MOST_ORGS_OF_PAST_MINUTE = 500;

/** About what a call takes, by where it was decided. The runtime does not tell what it took. */
const CPU_US = { edge: 50, object: 500, other: 1000 } as const;

type Counts = [calls: number, refusals: number, errors: number, cpuUs: number, slowestMs: number];
const SLOWEST = 4;

export interface OneCall {
  readonly status: number;
  /** Null if it was not refused. */
  readonly code: string | null;
  readonly place: keyof typeof CPU_US;
  readonly waitedMs: number;
}

/** The calls of orgs in one isolate, since it was asked last. */
export class OrgCallCounts {
  readonly #orgs = new Map<string, Counts>();

  note(orgId: string, { status, code, place, waitedMs }: OneCall): void {
    const isError = status >= 500;
    const isRefused = code !== null && !isError;
    add(this.#orgs, orgId, [1, isRefused ? 1 : 0, isError ? 1 : 0, CPU_US[place], waitedMs]);
  }

  /** Everything counted so far. It begins anew. */
  take(): OrgCallRow[] {
    const rows = rowsOf(this.#orgs);
    this.#orgs.clear();
    return rows;
  }
}

/** The calls of orgs in many isolates, in the last minute and in the minutes of the last hour. */
export class RecentOrgCalls {
  readonly #minute = new Steps(STEP_MS, MINUTE_STEPS, MOST_ORGS);
  readonly #hour = new Steps(MINUTE_MS, HOUR_MINUTES, MOST_ORGS_OF_PAST_MINUTE);

  add(rows: readonly OrgCallRow[], nowMs: number): void {
    if (rows.length === 0) return;
    this.#minute.add(rows, nowMs);
    this.#hour.add(rows, nowMs);
  }

  /** The busiest of the last minute, most calls first. */
  busiest(most: number, nowMs: number): OrgCallRow[] {
    return mergeOrgCalls(
      most,
      this.#minute.until(nowMs).map(([, orgs]) => rowsOf(orgs)),
    );
  }

  /** The minutes in which some orgs were called. The one that is not over is the last. */
  lastHour(orgIds: readonly string[], nowMs: number): OrgMinuteRow[] {
    return this.#hour.until(nowMs).flatMap(([ago, orgs]) =>
      orgIds.flatMap((orgId): OrgMinuteRow[] => {
        const counts = orgs.get(orgId);
        if (counts === undefined) return [];
        const [calls, refusals, errors, , slowestMs] = counts;
        return [[orgId, HOUR_MINUTES - 1 - ago, calls, refusals, errors, slowestMs]];
      }),
    );
  }
}

/** Counts by time step. Of a step that is over, only the busiest orgs are kept. */
class Steps {
  /** By the number of the step, the oldest first. */
  readonly #steps = new Map<number, Map<string, Counts>>();
  readonly #stepMs: number;
  readonly #many: number;
  readonly #mostKept: number;

  constructor(stepMs: number, many: number, mostKept: number) {
    this.#stepMs = stepMs;
    this.#many = many;
    this.#mostKept = mostKept;
  }

  add(rows: readonly OrgCallRow[], nowMs: number): void {
    const number = Math.floor(nowMs / this.#stepMs);
    this.#forget(number);
    const step = this.#steps.get(number) ?? this.#begin(number);
    for (const [orgId, ...counts] of rows) add(step, orgId, counts);
  }

  /** Each with how many steps ago it was. Steps that are newer than the reader's clock count as the current one. */
  until(nowMs: number): [ago: number, orgs: ReadonlyMap<string, Counts>][] {
    const now = Math.floor(nowMs / this.#stepMs);
    return Array.from(this.#steps, ([number, orgs]): [number, ReadonlyMap<string, Counts>] => [
      Math.max(0, now - number),
      orgs,
    ]).filter(([ago]) => ago < this.#many);
  }

  #begin(number: number): Map<string, Counts> {
    for (const [past, orgs] of this.#steps) {
      if (orgs.size > this.#mostKept)
        this.#steps.set(past, countsOf(mergeOrgCalls(this.#mostKept, [rowsOf(orgs)])));
    }
    const step = new Map<string, Counts>();
    this.#steps.set(number, step);
    return step;
  }

  #forget(now: number): void {
    for (const number of this.#steps.keys()) {
      if (number <= now - this.#many || number > now) this.#steps.delete(number);
    }
  }
}

/** Returns what several shards counted in the minutes of the last hour, by org. */
export function hoursOf(rows: readonly OrgMinuteRow[]): Map<string, OrgHour> {
  const hours = new Map<string, OrgHour>();
  for (const [orgId, minute, ...counts] of rows) {
    const hour = hours.get(orgId) ?? emptyHour();
    const [calls, refusals, errors, slowestMs] = counts;
    hours.set(orgId, hour);
    hour.calls[minute] = (hour.calls[minute] ?? 0) + calls;
    hour.refusals[minute] = (hour.refusals[minute] ?? 0) + refusals;
    hour.errors[minute] = (hour.errors[minute] ?? 0) + errors;
    hour.slowest_wait_ms = Math.max(hour.slowest_wait_ms, slowestMs);
  }
  return hours;
}

const none = () => Array.from({ length: HOUR_MINUTES }, () => 0);

function emptyHour(): OrgHour {
  return { calls: none(), refusals: none(), errors: none(), slowest_wait_ms: 0 };
}

/** Adds up lists, and keeps the busiest. */
export function mergeOrgCalls(most: number, lists: readonly (readonly OrgCallRow[])[]): OrgCallRow[] {
  const orgs = new Map<string, Counts>();
  for (const [orgId, ...counts] of lists.flat()) add(orgs, orgId, counts, Number.POSITIVE_INFINITY);
  return rowsOf(orgs)
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, most);
}

// oxlint-disable-next-line max-params -- called for every request
function add(orgs: Map<string, Counts>, orgId: string, counts: Readonly<Counts>, most = MOST_ORGS): void {
  const known = orgs.get(orgId);
  if (known === undefined) {
    if (orgs.size < most) orgs.set(orgId, [...counts]);
    return;
  }
  for (let at = 0; at < SLOWEST; at += 1) known[at] = (known[at] ?? 0) + (counts[at] ?? 0);
  known[SLOWEST] = Math.max(known[SLOWEST], counts[SLOWEST]);
}

function countsOf(rows: readonly OrgCallRow[]): Map<string, Counts> {
  return new Map(rows.map(([orgId, ...counts]) => [orgId, counts]));
}

function rowsOf(orgs: ReadonlyMap<string, Counts>): OrgCallRow[] {
  return Array.from(orgs, ([orgId, counts]) => [orgId, ...counts]);
}
