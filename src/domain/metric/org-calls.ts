import type { OrgCallRow } from "../../contract/metrics.ts";

/** How busy orgs are, counted in memory: what is lost with an isolate or an object is missing for a minute. */

/** Only orgs that exist are counted, and of those so many at once. */
const MOST_ORGS = 5000;
const STEP_MS = 10_000;
const MINUTE_STEPS = 6;

/** About what a call takes, by where it was decided. The runtime does not tell what it took. */
const CPU_US = { edge: 50, object: 500, other: 1000 } as const;

type Counts = [calls: number, refusals: number, errors: number, cpuUs: number];

export interface OneCall {
  readonly status: number;
  /** Null: it was not refused. */
  readonly code: string | null;
  readonly place: keyof typeof CPU_US;
}

/** Of one isolate, since it was asked last. */
export class OrgCallCounts {
  readonly #orgs = new Map<string, Counts>();

  note(orgId: string, { status, code, place }: OneCall): void {
    const isError = status >= 500;
    add(this.#orgs, orgId, [1, code !== null && !isError ? 1 : 0, isError ? 1 : 0, CPU_US[place]]);
  }

  /** Everything counted so far. It begins anew. */
  take(): OrgCallRow[] {
    const rows = rowsOf(this.#orgs);
    this.#orgs.clear();
    return rows;
  }
}

/** Of many isolates, in the last minute. */
export class RecentOrgCalls {
  /** By the number of their time, the oldest first. */
  readonly #steps = new Map<number, Map<string, Counts>>();

  add(rows: readonly OrgCallRow[], nowMs: number): void {
    if (rows.length === 0) return;
    const number = Math.floor(nowMs / STEP_MS);
    const step = this.#steps.get(number) ?? new Map<string, Counts>();
    this.#steps.set(number, step);
    for (const [orgId, ...counts] of rows) add(step, orgId, counts);
    this.#forget(number);
  }

  /** The busiest of the last minute, most calls first. */
  busiest(most: number, nowMs: number): OrgCallRow[] {
    this.#forget(Math.floor(nowMs / STEP_MS));
    return merged(most, [...this.#steps.values()].map(rowsOf));
  }

  #forget(now: number): void {
    for (const number of this.#steps.keys()) {
      if (number <= now - MINUTE_STEPS || number > now) this.#steps.delete(number);
    }
  }
}

/** Adds up lists, and keeps the busiest. */
export function merged(most: number, lists: readonly (readonly OrgCallRow[])[]): OrgCallRow[] {
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
  for (const [at, count] of counts.entries()) known[at] = (known[at] ?? 0) + count;
}

function rowsOf(orgs: ReadonlyMap<string, Counts>): OrgCallRow[] {
  return Array.from(orgs, ([orgId, counts]) => [orgId, ...counts]);
}
