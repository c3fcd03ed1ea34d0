import * as fc from "fast-check";
import type { Fault } from "./world.ts";
import type { Limit, ModelName, Period } from "./model-rows.ts";

/** What can happen to an org, in any order. Numbers that select among existing things wrap around. */
export type Step = { readonly fault: Fault } & (
  | ({ readonly do: "run"; readonly again: boolean } & RunFields)
  | { readonly do: "bulk"; readonly runs: readonly RunFields[] }
  | {
      readonly do: "decide";
      /** Checked against everything that a run is checked against. */
      readonly all: boolean;
      /** Becomes a run where nobody settles it. */
      readonly charge: boolean;
      readonly cost: bigint;
      readonly tokens: number;
      readonly chain: RunFields["chain"];
      readonly scopes: ScopeFields;
      readonly hold: number;
      readonly named: boolean;
    }
  /** Decided by isolates from slices, and reported. */
  | {
      readonly do: "sliced";
      readonly charge: boolean;
      readonly cost: bigint;
      readonly tokens: number;
      readonly scopes: ScopeFields;
      /** Whether it has expired when it is reported. */
      readonly late: boolean;
      /** By two isolates, of one request. */
      readonly twice: boolean;
      readonly report: "once" | "unheard" | "repeated";
    }
  | { readonly do: "release"; readonly pick: number }
  | { readonly do: "adjust"; readonly pick: number; readonly amount: bigint; readonly back: boolean }
  /** Asks again with the request id of an earlier hold, the same or another fingerprint. */
  | { readonly do: "askAgain"; readonly pick: number; readonly other: boolean }
  /** A run of a reservation that the object does not know. */
  | { readonly do: "unreported"; readonly made: "by us" | "by nobody"; readonly cost: bigint }
  | {
      readonly do: "budget";
      readonly workflow: string | undefined;
      readonly limit: bigint;
      readonly period: Period;
      readonly shadow: boolean;
    }
  | {
      readonly do: "matchBudget";
      readonly match: NonNullable<Limit["match"]>;
      readonly groupBy: readonly ModelName[];
      readonly unit: "usd" | "tokens" | "runs";
      readonly limit: bigint;
      readonly period: Period;
      readonly india: boolean;
      readonly anchorDay: number;
      readonly shadow: boolean;
    }
  | {
      readonly do: "changeLimit";
      readonly pick: number;
      readonly limit: bigint;
      readonly period: Period | undefined;
    }
  | { readonly do: "deleteLimit"; readonly pick: number }
  | {
      readonly do: "customerLimit";
      readonly customer: string;
      readonly limit: bigint;
      readonly period: Period;
    }
  | { readonly do: "cap"; readonly limit: bigint; readonly india: boolean }
  | { readonly do: "chain"; readonly cost: bigint; readonly depth: number; readonly tokens: number }
  | { readonly do: "plan"; readonly runs: number; readonly tokens: number; readonly block: boolean }
  | { readonly do: "prepay" }
  | { readonly do: "topUp"; readonly amount: bigint }
  | {
      readonly do: "pack";
      readonly customer: string;
      readonly amount: bigint;
      readonly priority: number;
      readonly hours: number | undefined;
    }
  | { readonly do: "voidPack"; readonly pick: number }
  | { readonly do: "advance"; readonly hours: number }
);
export type StepOf<K extends Step["do"]> = Extract<Step, { do: K }>;

export interface ScopeFields {
  readonly workflow: string | undefined;
  readonly customer: string | undefined;
  readonly user?: string | undefined;
  readonly team?: string | undefined;
}

export interface RunFields {
  readonly scopes: ScopeFields;
  readonly cost: bigint;
  readonly tokens: number;
  readonly fact: boolean;
  /** Settles a hold, if there is one to pick. */
  readonly settle: number | undefined;
  /** In a chain, below a run of it, if there is one to pick. */
  readonly chain: { readonly id: string; readonly parent: number | undefined } | undefined;
}

const fault = fc.constantFrom<Fault>("none", "none", "none", "none", "twice", "lost", "evicted");
/** Small amounts collide with limits. Large odd ones exceed the precision of a double. */
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 12n }),
  fc.constantFrom(9_007_199_254_740_993n, 999_999_999_999_999_999n),
);
const limit = fc.oneof(fc.bigInt({ min: 0n, max: 40n }), fc.constant(9_007_199_254_740_999n));
const period = fc.constantFrom<Period>("day", "week", "month", "quarter", "year", "total");
const pick = fc.nat({ max: 20 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const customer = fc.constantFrom("c1", "c2", "c3");
const scopes = fc.record({ workflow: maybe(fc.constantFrom("w1", "w2")), customer: maybe(customer) });

const chain = maybe(fc.record({ id: fc.constantFrom("x", "y"), parent: maybe(pick) }));

const runFields: fc.Arbitrary<RunFields> = fc.record({
  scopes,
  cost: amount,
  tokens: fc.nat({ max: 20 }),
  fact: fc.boolean().map((one) => one),
  settle: fc.option(pick, { nil: undefined, freq: 2 }),
  chain,
});

const kind = <K extends Step["do"]>(name: K) => fc.constant(name);

const oneRun = fc
  .record({ fault, do: kind("run"), again: fc.boolean() })
  .chain((head) => runFields.map((run) => ({ ...run, ...head })));
const manyRuns = fc.record({
  fault,
  do: kind("bulk"),
  runs: fc.array(runFields, { minLength: 1, maxLength: 6 }),
});
const changedLimit = fc.record({ fault, do: kind("changeLimit"), pick, limit, period: maybe(period) });

export const step = fc.oneof(
  { weight: 8, arbitrary: oneRun },
  { weight: 3, arbitrary: manyRuns },
  {
    weight: 8,
    arbitrary: fc.record({
      fault,
      do: kind("decide"),
      all: fc.boolean(),
      charge: fc.boolean(),
      cost: amount,
      tokens: fc.nat({ max: 20 }),
      chain,
      scopes,
      hold: fc.constantFrom(1800, 5400, 80_000),
      named: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ fault, do: kind("release"), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      fault,
      do: kind("adjust"),
      pick,
      amount: amount.filter((one) => one > 0n),
      back: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ fault, do: kind("askAgain"), pick, other: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      fault,
      do: kind("unreported"),
      made: fc.constantFrom("by us", "by us", "by nobody"),
      cost: amount,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      fault,
      do: kind("budget"),
      workflow: maybe(fc.constantFrom("w1", "w2")),
      limit,
      period,
      shadow: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: changedLimit },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("deleteLimit"), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      fault,
      do: kind("customerLimit"),
      customer: fc.oneof(customer, fc.constant("*")),
      limit,
      period,
    }),
  },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("cap"), limit, india: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      fault,
      do: kind("chain"),
      cost: limit,
      depth: fc.integer({ min: 1, max: 3 }),
      tokens: fc.nat({ max: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      fault,
      do: kind("plan"),
      runs: fc.nat({ max: 12 }),
      tokens: fc.nat({ max: 120 }),
      block: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("prepay") }) },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("topUp"), amount: limit.filter((one) => one > 0n) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      fault,
      do: kind("pack"),
      customer,
      amount: limit,
      priority: fc.nat({ max: 2 }),
      hours: maybe(fc.integer({ min: 1, max: 30 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("voidPack"), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({ fault, do: kind("advance"), hours: fc.constantFrom(1, 2, 11, 12, 13, 24, 170) }),
  },
) as fc.Arbitrary<Step>;

const few = fc.bigInt({ min: 0n, max: 20n });

/** Mostly reservations, their runs, facts and changed limits, so that most runs exceed a limit. */
export const overLimitStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      fault: fc.constant("none"),
      do: kind("decide"),
      all: fc.boolean(),
      charge: fc.boolean(),
      cost: few,
      tokens: fc.nat({ max: 20 }),
      chain,
      scopes,
      hold: fc.constantFrom(1800, 80_000),
      named: fc.constant(false),
    }),
  },
  { weight: 5, arbitrary: oneRun.map((run) => ({ ...run, fact: true, again: false, fault: "none" })) },
  { weight: 2, arbitrary: manyRuns },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("release"), pick }) },
  { weight: 2, arbitrary: changedLimit.map((change) => ({ ...change, period: undefined })) },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("advance"), hours: fc.constantFrom(1, 13, 24) }) },
) as fc.Arbitrary<Step>;

const user = fc.constantFrom("u1", "u2", "u3");
const team = fc.constantFrom("t1", "t2");
const names = fc.record({ user: maybe(user), team: maybe(team) });
const some = (value: fc.Arbitrary<string>) => fc.uniqueArray(value, { minLength: 1, maxLength: 2 });

const matchBudget = fc.record({
  fault,
  do: kind("matchBudget"),
  match: fc.record(
    {
      user: some(user),
      team: some(team),
      customer: some(customer),
      workflow: some(fc.constantFrom("w1", "w2")),
    },
    { requiredKeys: [] },
  ),
  groupBy: fc.uniqueArray(fc.constantFrom<ModelName>("user", "team", "customer", "workflow"), {
    maxLength: 2,
  }),
  unit: fc.constantFrom("usd", "usd", "tokens", "runs"),
  limit: fc.bigInt({ min: 0n, max: 40n }),
  period,
  india: fc.boolean(),
  anchorDay: fc.integer({ min: 1, max: 28 }),
  shadow: fc.boolean(),
});

/** The same steps, by users and with tags, and budgets that match them. */
export const namedStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(step, names, names).map(([one, first, second]) => named(one, first, second)),
  },
  { weight: 1, arbitrary: matchBudget },
) as fc.Arbitrary<Step>;

function named(one: Step, first: Partial<ScopeFields>, second: Partial<ScopeFields>): Step {
  if (one.do === "run" || one.do === "decide") return { ...one, scopes: { ...one.scopes, ...first } };
  if (one.do !== "bulk") return one;
  const runs = one.runs.map((run, at) => ({
    ...run,
    scopes: { ...run.scopes, ...(at % 2 === 0 ? first : second) },
  }));
  return { ...one, runs };
}

const cents = fc.bigInt({ min: 0n, max: 100n });
/** So large that slices of it are worth several calls. */
const wide = fc.bigInt({ min: 20_000n, max: 90_000n });
const small = <Fields extends RunFields>(run: Fields): Fields => ({ ...run, cost: run.cost % 200n });

const sliced = fc.record({
  fault,
  do: kind("sliced"),
  charge: fc.boolean(),
  cost: cents,
  tokens: fc.nat({ max: 100 }),
  scopes,
  late: fc.boolean(),
  twice: fc.boolean(),
  report: fc.constantFrom("once", "unheard", "repeated"),
});

/** Mostly what isolates decide from slices, and what becomes of it. */
export const slicedStep = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(sliced, names).map(([one, also]) => withNames(one, also)) },
  { weight: 6, arbitrary: oneRun.map(small) },
  { weight: 2, arbitrary: manyRuns.map((bulk) => ({ ...bulk, runs: bulk.runs.map(small) })) },
  { weight: 2, arbitrary: fc.record({ fault, do: kind("release"), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      fault,
      do: kind("budget"),
      workflow: maybe(fc.constantFrom("w1", "w2")),
      limit: wide,
      period,
      shadow: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.tuple(matchBudget, wide).map(([one, high]) => ({ ...one, limit: high })) },
  {
    weight: 1,
    arbitrary: fc.record({
      fault,
      do: kind("customerLimit"),
      customer: fc.oneof(customer, fc.constant("*")),
      limit: wide,
      period,
    }),
  },
  { weight: 1, arbitrary: fc.tuple(changedLimit, wide).map(([one, high]) => ({ ...one, limit: high })) },
  { weight: 1, arbitrary: fc.record({ fault, do: kind("deleteLimit"), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({ fault, do: kind("advance"), hours: fc.constantFrom(1, 2, 13, 24, 170) }),
  },
) as fc.Arbitrary<Step>;

function withNames<One extends { readonly scopes: ScopeFields }>(one: One, also: Partial<ScopeFields>): One {
  return { ...one, scopes: { ...one.scopes, ...also } };
}
