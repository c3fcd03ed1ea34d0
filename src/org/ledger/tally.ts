import { runSeries, SPEND_SERIES, tokenSeries, UNPRICED_SERIES } from "../../contract/metrics.ts";
import type { RUN_OUTCOMES } from "../../contract/lists.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { TOKEN_CLASS_NAMES, TOKEN_CLASSES } from "../../contract/token-classes.ts";
import {
  addClasses,
  type RunTokens,
  type TokenCounts,
  tokensAdded,
} from "../../domain/usage-report/token-counts.ts";
import type { Tx } from "../kernel/door.ts";

type Outcome = (typeof RUN_OUTCOMES)[number];

/** What the platform's counters need of a run. */
export interface TalliedRun extends RunTokens {
  readonly cost: bigint;
  /** Null: completed. */
  readonly outcome: string | null;
}

/** Counts recorded runs: one addition to each series, however many there are. */
export function tallyRuns(tx: Pick<Tx, "tally">, runs: readonly TalliedRun[]): void {
  const counts = new Map<string, number>();
  const add = (series: string, by: number) => {
    if (by > 0) counts.set(series, (counts.get(series) ?? 0) + by);
  };
  const tokens: TokenCounts = [];
  let nanos = 0n;
  let completed = 0;
  for (const run of runs) {
    if (run.outcome === null) completed += 1;
    else add(runSeries(run.outcome as Outcome, "accepted"), 1);
    nanos += run.cost;
    addClasses(tokens, run);
  }
  const rest = { input: tokensAdded(tokens, "input"), output: tokensAdded(tokens, "output") };
  for (const name of TOKEN_CLASS_NAMES) {
    const count = tokensAdded(tokens, name);
    rest[TOKEN_CLASSES[name]] -= count;
    add(tokenSeries(name), count);
  }
  add(runSeries("completed", "accepted"), completed);
  add(tokenSeries("input"), rest.input);
  add(tokenSeries("output"), rest.output);
  add(SPEND_SERIES, Number(nanos));
  if (counts.size > 0) tx.tally([...counts]);
}

/** Runs that were not recorded. */
export function tallyOthers(
  tx: Pick<Tx, "tally">,
  status: "duplicate" | "rejected",
  outcomes: readonly Outcome[],
): void {
  tx.tally(outcomes.map((outcome) => [runSeries(outcome, status), 1]));
}

/** A charge beside a run's own. An amount that is given back is not subtracted: a counter never goes down. */
export function tallyCharge(tx: Pick<Tx, "tally">, nanos: bigint): void {
  if (nanos > 0n) tx.tally([[SPEND_SERIES, Number(nanos)]]);
}

/** A run that takes the place of its estimate: only what it costs more is new. */
export function tallyReplaced(tx: Pick<Tx, "tally">, estimated: bigint, cost: bigint): void {
  const counted = estimated < cost ? estimated : cost;
  if (counted > 0n) tx.tally([[SPEND_SERIES, -Number(counted)]]);
}

export function tallyUnpriced(tx: Pick<Tx, "tally">, refusals: readonly Refusal[]): void {
  const count = refusals.filter(isUnpriced).length;
  if (count > 0) tx.tally([[UNPRICED_SERIES, count]]);
}

function isUnpriced({ code, details }: Refusal): boolean {
  if (code !== "validation_failed") return false;
  const { fields } = details as { fields: readonly { code: string }[] };
  return fields.some((field) => field.code === "no_price");
}
