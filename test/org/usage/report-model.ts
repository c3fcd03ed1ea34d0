import { formatUsd } from "../../../src/domain/price/money.ts";

export interface RunNames {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly user_id?: string | undefined;
  readonly customer_id?: string | undefined;
  readonly department_id?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface Made {
  readonly names: RunNames;
  readonly startedAt: number;
  readonly nanos: bigint;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export interface Adjusted {
  readonly runId: string;
  readonly nanos: bigint;
  readonly atMs: number;
}

export interface Asked {
  readonly groupBy: readonly string[];
  readonly timezone: string;
  readonly customer: string | null;
  readonly fromDay: string;
}

interface Kept extends Made {
  readonly id: string;
  readonly recordedAt: number;
}

interface Sum {
  nanos: bigint;
  runs: number;
  tokens: number;
  input: number;
  cached: number;
}

const DAY = 86_400_000;
const KEPT_MS = 3 * DAY;
/** Adding up beyond an amount's bound is refused: adjustments stay far from it. */
const LARGE = 900_000_000_000_000_000n;

/** All that happened, as plain arrays: what reports must agree with. */
export class Model {
  now: number;
  readonly #runs: Kept[] = [];
  readonly #adjusted: Adjusted[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** The run as it is sent. */
  record(run: Made): object {
    const id = `r${this.#runs.length}`;
    this.#runs.push({ ...run, id, recordedAt: this.now });
    const { input, output, cached } = run;
    return {
      ...run.names,
      id,
      started_at: new Date(run.startedAt).toISOString(),
      cost_usd: formatUsd(run.nanos),
      usage: {
        input_tokens: input + cached,
        output_tokens: output,
        ...(cached === 0 ? {} : { cache_read_tokens: cached }),
      },
    };
  }

  /** A run that is stored and can be adjusted by so much. */
  adjustable(which: number, nanos: bigint): { readonly id: string; readonly amount: string } | null {
    const stored = this.#runs.filter((run) => !this.#isDeleted(run.recordedAt));
    const run = stored[which % Math.max(1, stored.length)];
    if (run === undefined || nanos === 0n || run.nanos > LARGE) return null;
    const before = this.#adjusted.filter(({ runId }) => runId === run.id);
    const net = before.reduce((sum, one) => sum + one.nanos, run.nanos) + nanos;
    return net < 0n ? null : { id: run.id, amount: formatUsd(nanos) };
  }

  adjust(made: Adjusted): void {
    this.#adjusted.push(made);
  }

  hasDeleted(): boolean {
    return this.#runs.some((run) => this.#isDeleted(run.recordedAt));
  }

  #isDeleted(atMs: number): boolean {
    return atMs < this.now - KEPT_MS;
  }

  report(asked: Asked, includesDeleted: boolean): unknown[][] {
    const groups = new Map<string, Sum>();
    const add = (run: Made, atMs: number, sum: Partial<Sum>) => {
      if (dayIn(asked.timezone, atMs) < asked.fromDay) return;
      if (asked.customer !== null && run.names.customer_id !== asked.customer) return;
      const key = JSON.stringify(
        asked.groupBy.map((name) => groupOf(name, run.names, dayIn(asked.timezone, atMs))),
      );
      const there = groups.get(key) ?? { nanos: 0n, runs: 0, tokens: 0, input: 0, cached: 0 };
      for (const [field, value] of Object.entries(sum)) {
        if (typeof value === "bigint") there.nanos += value;
        else there[field as "runs"] += value;
      }
      groups.set(key, there);
    };
    for (const run of this.#runs) {
      const isKept = !this.#isDeleted(run.recordedAt);
      if (!isKept && !includesDeleted) continue;
      const tokens = run.input + run.cached + run.output;
      const classes = { input: run.input + run.cached, cached: run.cached };
      add(run, run.startedAt, { nanos: run.nanos, runs: 1, tokens, ...classes });
    }
    for (const { runId, nanos, atMs } of this.#adjusted) {
      const run = this.#runs.find(({ id }) => id === runId);
      if (run !== undefined && (includesDeleted || !this.#isDeleted(atMs))) add(run, atMs, { nanos });
    }
    // What was given back may leave nothing of a group whose runs are gone.
    const lines = [...groups].filter(([, { nanos, runs }]) => !includesDeleted || nanos !== 0n || runs !== 0);
    return lines
      .map(([key, { nanos, runs, tokens, input, cached }]) => [
        key,
        formatUsd(nanos),
        runs,
        tokens,
        input,
        cached,
      ])
      .sort(byKey);
  }

  /** What a report says, in the same form. */
  static shown(data: readonly Record<string, unknown>[], groupBy: readonly string[]): unknown[][] {
    return data
      .map((row) => [
        JSON.stringify(groupBy.map((name) => row[name])),
        row["cost_usd"],
        row["runs"],
        row["tokens"],
        row["input_tokens"],
        row["cache_read_tokens"],
      ])
      .sort(byKey);
  }
}

function byKey([one]: unknown[], [other]: unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dayIn(timeZone: string, atMs: number): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone });
  formats.set(timeZone, format);
  return format.format(atMs);
}

function groupOf(name: string, names: RunNames, day: string): string | null {
  if (name === "day") return day;
  if (name === "month") return day.slice(0, 7);
  if (name === "week") {
    const date = new Date(`${day}T00:00:00Z`);
    while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
    return date.toISOString().slice(0, 10);
  }
  if (name.startsWith("tag:")) return names.tags?.[name.slice("tag:".length)] ?? null;
  return (names as unknown as Record<string, string | undefined>)[name] ?? null;
}
