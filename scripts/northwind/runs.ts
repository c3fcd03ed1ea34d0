import { Chance } from "./chance.ts";
import { BATCH, CACHE_READ, CUSTOMERS, type KeyName, MODELS, WORKFLOWS } from "./company.ts";

export const DAY_MS = 86_400_000;
export const DAYS = 60;
/** In one week, this customer's documents grew: its calls had several times as many tokens. */
export const UNUSUAL = { customer: "globex", fromDaysAgo: 14, toDaysAgo: 8, times: 8 } as const;

/** When a run is recorded: before this month, this month, or today. Each stage is charged to the limits that exist by then. */
export type Stage = "earlier" | "billed" | "today";

export interface MadeRun {
  readonly stage: Stage;
  readonly key: KeyName;
  /** About what it costs, in dollars. The service prices it exactly. */
  readonly dollars: number;
  readonly body: {
    readonly id: string;
    readonly started_at: string;
    readonly ended_at: string;
    readonly model: string;
    readonly provider: string;
    readonly workflow_id: string;
    readonly department_id: string;
    readonly deployment_id: string;
    readonly customer_id: string;
    readonly user_id: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly usage: object;
    readonly variant?: string;
    readonly outcome: string;
    readonly incurred: true;
  };
}

const WEEKDAY_RUNS = 78;
const WEEKEND_RUNS = 14;
const SEED = 1996;
/** Work begins at 7 and ends at 19, in UTC. */
const OPENS_MS = 7 * 3_600_000;
const OPEN_MS = 12 * 3_600_000;

/** All runs up to `nowMs`, oldest first. They depend on nothing else. */
export function northwindRuns(nowMs: number): MadeRun[] {
  const chance = new Chance(SEED);
  const today = Math.floor(nowMs / DAY_MS);
  return Array.from({ length: DAYS + 1 }, (_, at) => today - DAYS + at).flatMap((day) =>
    runsOf(chance, day, today).filter(({ body }) => Date.parse(body.ended_at) <= nowMs),
  );
}

/** As many as the day of the week and some growth suggest. */
function runsOf(chance: Chance, day: number, today: number): MadeRun[] {
  const growth = 1 + (DAYS - (today - day)) / 150;
  const runs = Math.round(
    (isWeekend(day) ? WEEKEND_RUNS : WEEKDAY_RUNS) * growth * chance.between(0.85, 1.15),
  );
  const moments = Array.from({ length: runs }, () => momentOf(chance)).toSorted((one, other) => one - other);
  const stage = day === today ? "today" : day >= firstOfMonth(today) ? "billed" : "earlier";
  return moments.map((atMs, at) =>
    runOf(chance, { startedMs: day * DAY_MS + atMs, id: `nw-${today - day}-${at}`, stage, ago: today - day }),
  );
}

/** The day, in UTC, on which the calendar month of a day began. */
export function firstOfMonth(day: number): number {
  return day + 1 - new Date(day * DAY_MS).getUTCDate();
}

export function isWeekend(day: number): boolean {
  return [0, 6].includes(new Date(day * DAY_MS).getUTCDay());
}

/** Most runs are made in the busy hours around noon, and a few at any hour. */
function momentOf(chance: Chance): number {
  if (chance.next() < 0.15) return Math.floor(chance.next() * DAY_MS);
  return Math.floor(OPENS_MS + ((chance.next() + chance.next()) / 2) * OPEN_MS);
}

interface Place {
  readonly startedMs: number;
  readonly id: string;
  readonly stage: Stage;
  /** How many days ago. */
  readonly ago: number;
}

const timesOf = (customer: string, ago: number): number =>
  customer === UNUSUAL.customer && ago <= UNUSUAL.fromDaysAgo && ago >= UNUSUAL.toDaysAgo ? UNUSUAL.times : 1;

function runOf(chance: Chance, { startedMs, id, stage, ago }: Place): MadeRun {
  const workflow = chance.byShare(WORKFLOWS);
  const customer = chance.byShare(CUSTOMERS);
  const model = chance.pick(workflow.models);
  const size = chance.between(0.35, 1.2) + (chance.next() < 0.04 ? 3 : 0);
  const times = timesOf(customer.id, ago);
  const input = Math.round(workflow.input * size) * times;
  const output = Math.round(workflow.output * size * chance.between(0.6, 1.4)) * times;
  const cached = Math.floor(input * (workflow.cached ?? 0));
  const { provider, ...rate } = MODELS[model] ?? { provider: "", input: 0, output: 0 };
  const read = (input - cached + cached * CACHE_READ) * rate.input;
  const dollars = ((read + output * rate.output) / 1_000_000) * (workflow.isBatch === true ? BATCH : 1);
  const ending = chance.next();
  return {
    stage,
    key: workflow.key,
    dollars,
    body: {
      id,
      started_at: new Date(startedMs).toISOString(),
      ended_at: new Date(
        startedMs + Math.round(900 + (output / times) * chance.between(9, 16)),
      ).toISOString(),
      model,
      provider,
      workflow_id: workflow.id,
      department_id: workflow.department,
      deployment_id: chance.next() < 0.9 ? "production" : "staging",
      customer_id: customer.id,
      user_id: chance.pick(workflow.users),
      tags: { feature: workflow.feature, tier: customer.tier },
      usage: {
        input_tokens: input,
        output_tokens: output,
        ...(cached === 0 ? {} : { cache_read_tokens: cached }),
      },
      ...(workflow.isBatch === true ? { variant: "batch" } : {}),
      outcome: ending < 0.97 ? "completed" : ending < 0.985 ? "failed" : "cancelled",
      incurred: true,
    },
  };
}

/** What some of the runs cost together, in dollars. */
export function dollarsOf(runs: readonly MadeRun[], which: Partial<MadeRun["body"]> = {}): number {
  const wanted = Object.entries(which) as [keyof MadeRun["body"], unknown][];
  return runs
    .filter(({ body }) => wanted.every(([name, value]) => body[name] === value))
    .reduce((sum, { dollars }) => sum + dollars, 0);
}
