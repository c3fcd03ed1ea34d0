import type { Digest } from "../../contract/resources/digests.ts";
import type { LimitInUse } from "../../contract/resources/limits.ts";
import { dateOfDay } from "../forecast/series.ts";
import { allUnusual, type SubjectDays } from "../forecast/unusual-subjects.ts";
import type { Sensitivity } from "../forecast/unusual.ts";
import { parseUsd } from "../price/money.ts";
import type { DigestDays } from "./schedule.ts";

const MOST_LINES = 5;
const MOST_UNUSUAL = 10;

interface SpendRow {
  readonly name: string | null;
  readonly cost_usd: string;
  readonly previous_cost_usd: string;
}

/** The facts about a period that the object knows. The rest of a digest is computed from them. */
export interface DigestFacts {
  readonly name: string;
  readonly days: DigestDays;
  readonly today: number;
  readonly sensitivity: Sensitivity;
  readonly totals: Pick<SpendRow, "cost_usd" | "previous_cost_usd">;
  readonly models: readonly SpendRow[];
  readonly customers: readonly SpendRow[];
  readonly limits: readonly LimitInUse[];
  readonly refusals: readonly { readonly code: string; readonly count: number }[];
  /** The org, and those of which something may be unusual: also by hour, if hours are kept. */
  readonly subjects: readonly SubjectDays[];
}

type Line = Digest["by_model"][number];

const lineOf = (kind: Line["kind"], { name, cost_usd, previous_cost_usd }: SpendRow): Line => ({
  kind,
  name,
  spent_usd: cost_usd,
  previous_usd: previous_cost_usd,
});

const changeOf = ({ spent_usd: now, previous_usd: before }: Line): bigint => {
  const change = (parseUsd(now) ?? 0n) - (parseUsd(before) ?? 0n);
  return change < 0n ? -change : change;
};

export function digestOf(facts: DigestFacts): Digest {
  const { days, models, customers, totals } = facts;
  const all = [
    ...models.map((part) => lineOf("model", part)),
    ...customers.filter(({ name }) => name !== null).map((part) => lineOf("customer", part)),
  ];
  const changed = all
    .filter((line) => changeOf(line) > 0n)
    .toSorted((one, other) => Number(changeOf(other) - changeOf(one)));
  return {
    name: facts.name,
    from: dateOfDay(days.from),
    to: dateOfDay(days.to),
    spent_usd: totals.cost_usd,
    previous_usd: totals.previous_cost_usd,
    by_model: models.slice(0, MOST_LINES).map((part) => lineOf("model", part)),
    changed_most: changed.slice(0, MOST_LINES),
    runs_out: facts.limits
      .filter(({ runs_out_at }) => runs_out_at !== null)
      .slice(0, MOST_LINES)
      .map(({ id, name, used, runs_out_at }) => ({ limit_id: id, name, used, runs_out_at })),
    refused: facts.refusals.slice(0, MOST_LINES).map(({ code, count }) => ({ code, count })),
    unusual: unusualIn(facts),
  };
}

function unusualIn(facts: DigestFacts): Digest["unusual"] {
  const { days, today, sensitivity } = facts;
  const asked = { from: days.from, to: days.to - 1, today, sensitivity };
  return allUnusual(facts.subjects, asked).slice(0, MOST_UNUSUAL);
}
