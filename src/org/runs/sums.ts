import { DAY_MS } from "../../contract/durations.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import { addTokens, type TokenCounts } from "../../domain/usage-report/token-counts.ts";
import type { Account } from "../../domain/meter/meter.ts";
import type { Run } from "./run.ts";

export interface Total {
  usd: bigint;
  runs: number;
  tokens: number;
  /** The tokens by class. */
  counts: TokenCounts;
}

export interface Sum extends Total {
  readonly day: string;
  /** Any of its runs: all have the same scopes and model. */
  readonly run: Run;
}

/** Adds up a batch before anything is read or written: runs with the same scopes, model and day are one addition. */
export class Sums {
  readonly #sums = new Map<readonly Account[], Map<string, Sum>>();
  /** The sum that the last run of each list was added to. Usually the next run belongs to it too. */
  readonly #latest = new Map<readonly Account[], Sum>();

  /** `accounts` is the same list for runs with the same scopes, except for the customer, which may be the hold's. */
  add(run: Run, accounts: readonly Account[]): void {
    const day = dayOf(run.startedAt);
    let sum = this.#latest.get(accounts);
    if (sum?.day !== day || sum.run.model !== run.model || sum.run.customerId !== run.customerId)
      sum = this.#sumOf(run, day, accounts);
    sum.usd += run.cost;
    sum.runs += 1;
    sum.tokens += run.inputTokens + run.outputTokens;
    addTokens(sum.counts, run);
  }

  #sumOf(run: Run, day: string, accounts: readonly Account[]): Sum {
    let sums = this.#sums.get(accounts);
    if (sums === undefined) this.#sums.set(accounts, (sums = new Map()));
    const key = `${day} ${run.customerId ?? ""}\n${run.model}`;
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = { day, run, usd: 0n, runs: 0, tokens: 0, counts: [] }));
    this.#latest.set(accounts, sum);
    return sum;
  }

  /** Everything that was added, as one attempt for each list of accounts. */
  *attempts(): Generator<[accounts: readonly Account[], attempts: Attempt]> {
    for (const [accounts, each] of this.#sums) {
      const sums = [...each.values()];
      const count = (field: "runs" | "tokens") => sums.reduce((total, sum) => total + sum[field], 0);
      const nanos = sums.reduce((total, { usd }) => total + usd, 0n);
      yield [accounts, { nanos, tokens: count("tokens"), depth: 0, runs: count("runs") }];
    }
  }

  /** Returns the cost of all runs. */
  get nanos(): bigint {
    let nanos = 0n;
    for (const { usd } of this) nanos += usd;
    return nanos;
  }

  *[Symbol.iterator](): Generator<Sum> {
    for (const sums of this.#sums.values()) yield* sums.values();
  }
}

let lastDay = { startMs: Number.NaN, text: "" };

/** Most runs of a batch share a day, so its text is cached. */
export function dayOf(atMs: number): string {
  if (atMs >= lastDay.startMs && atMs < lastDay.startMs + DAY_MS) return lastDay.text;
  const startMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  lastDay = { startMs, text: new Date(startMs).toISOString().slice(0, 10) };
  return lastDay.text;
}
