import { DIMENSIONS, TAG_PREFIX } from "../../contract/dimensions.ts";
import { callNames, type RunNames, runScopes } from "../../domain/run/segment/run-names.ts";
import type { NameColumn } from "../../domain/run/segment/record.ts";
import { indexMeters, findMeters } from "../../domain/meter/limit-set.ts";
import { traitsIn } from "../../domain/meter/match.ts";
import { groupOf } from "../../domain/meter/traits.ts";
import { chargeName } from "../../domain/meter/charge-text.ts";
import type { RunColumns } from "../../domain/run/segment/columns.ts";
import { countsGroups, type Meter, unitOf, windowOf } from "../../domain/meter/meter.ts";
import { reduceArchived } from "../../storage/segments/archived-segments.ts";
import { type IsWanted, STATE } from "../../storage/segments/metadata.ts";
import { runSegments } from "../runs/segments/segments.ts";
import { replacedRuns } from "../runs/replacements.ts";
import { amountCharged, type RunExtra } from "../runs/run.ts";
import { cached } from "../../domain/cache/cached.ts";

/** The amount that a run counts for in one meter. */
interface Charge {
  /** The subject whose counter it is, where the meter counts each apart. */
  readonly subject: string;
  readonly atMs: number;
  readonly amount: bigint;
  readonly over: bigint;
}

/**
 * Returns what runs were charged to a meter, at a moment or later, since it counts. None is charged to a time after it
 * was recorded, so older segments are not read. Of the others only the columns are decoded that say what was charged.
 */
export function* chargesSince(sql: SqlStorage, meter: Meter, sinceMs: number): Generator<Charge> {
  const fromMs = Math.max(sinceMs, meter.sinceMs);
  const range = { fromMs, replaced: replacedRuns(sql) };
  const store = runSegments(sql);
  const isSince: IsWanted = ({ recordedMax }) => recordedMax >= fromMs;
  const sums = reduceArchived(store, (seq) => store.held(isSince, seq), {
    key: `charges of ${meter.id} since ${fromMs} by ${JSON.stringify(meter.window)}`,
    start: () => new Map<string, Charge>(),
    add(all, columns) {
      for (const charge of chargesIn(columns, meter, range)) addTo(all, meter, charge);
    },
  });
  yield* sums.values();
  const isHere: IsWanted = (one) => one.state !== STATE.archived && isSince(one);
  for (const segment of store.held(isHere)) yield* chargesIn(store.columns(segment), meter, range);
}

/** Charges of one counter are one charge. */
function addTo(all: Map<string, Charge>, meter: Meter, charge: Charge): void {
  const key = `${windowOf(meter, charge.atMs).startMs} ${charge.subject}`;
  const { amount = 0n, over = 0n } = all.get(key) ?? {};
  all.set(key, { ...charge, amount: amount + charge.amount, over: over + charge.over });
}

interface Range {
  readonly fromMs: number;
  /** Estimates that a run has taken the place of. */
  readonly replaced: ReadonlySet<string>;
}

function* chargesIn(columns: RunColumns, meter: Meter, { fromMs, replaced }: Range): Generator<Charge> {
  const places = placesCounted(columns, meter);
  if (places.length === 0) return;
  const { chargedAt } = columns;
  const unit = unitOf(meter);
  const costs = unit === "usd" ? columns.costs : null;
  const subjectAt = subjectsIn(columns, meter);
  for (const at of places) {
    const atMs = chargedAt[at] ?? 0;
    if (atMs < fromMs || replaced.has(columns.ids[at] ?? "")) continue;
    const extra = extraOf(columns, at, meter.id);
    yield {
      subject: extra?.subjects?.[meter.id] ?? subjectAt(at),
      atMs,
      amount: costs === null ? amountCharged(columns.amounts(at), unit) : (costs[at] ?? 0n),
      over: BigInt(extra?.over?.[meter.id] ?? 0),
    };
  }
}

/** Returns whose counter a run belongs to by what it says itself. */
function subjectsIn(columns: RunColumns, meter: Meter): (at: number) => string {
  if (countsGroups(meter)) {
    const groupBy = meter.match?.groupBy ?? [];
    return (at) => groupOf(callNames(namesAt(columns, at, NAMED)), groupBy);
  }
  const { kind } = meter.scope;
  if (kind === "org" || kind === "match") return () => "";
  const names = columns.names(`${kind}Id`);
  return (at) => names[at] ?? "";
}

const NAMED: readonly NameColumn[] = ["tags", ...DIMENSIONS.map(({ property }) => property)];

function namesAt(columns: RunColumns, at: number, which: readonly NameColumn[]): RunNames {
  const named = which.flatMap((column) => {
    const name = columns.names(column)[at] ?? null;
    return name === null ? [] : [[column, name] as const];
  });
  return Object.fromEntries(named);
}

/** Where the runs are that name the meter or, if it counts from before it was created, are in its scope. */
function placesCounted(columns: RunColumns, meter: Meter): readonly number[] {
  const name = chargeName(meter);
  const isInScope = meter.isBackdated === true ? scopeIn(columns, meter) : () => false;
  const known = new Map<string | null, boolean>();
  const places: number[] = [];
  for (const [at, charges] of columns.names("charges").entries()) {
    const isCharged = cached(known, charges, () => ` ${charges ?? ""} `.includes(` ${name} `));
    if (isCharged || isInScope(at)) places.push(at);
  }
  return places;
}

/** Returns whether a run is in the meter's scope by what it says. Runs that say the same are looked at once. */
function scopeIn(columns: RunColumns, meter: Meter): (at: number) => boolean {
  const which = columnsOf(meter);
  const known = new Map<string, boolean>();
  return (at) => {
    const names = namesAt(columns, at, which);
    return cached(known, JSON.stringify(names), () => isTouched(meter, names));
  };
}

/** Returns whether a limit applies to a run that says this, as it is found for a new one. */
export function isTouched(meter: Meter, names: RunNames): boolean {
  return findMeters(indexMeters([meter]), runScopes(names), "run").length > 0;
}

/** The columns that its scope looks at. */
function columnsOf({ scope, match }: Meter): readonly NameColumn[] {
  const traits: readonly string[] = match === undefined ? [`${scope.kind}_id`] : traitsIn([match]);
  const isTagged = traits.some((trait) => trait === "tags" || trait.startsWith(TAG_PREFIX));
  const named = DIMENSIONS.filter(({ name }) => traits.includes(name)).map(({ property }) => property);
  return isTagged ? ["tags", ...named] : named;
}

/** Only one that names the meter says anything of it. */
function extraOf(columns: RunColumns, at: number, meterId: string): RunExtra | null {
  const text = columns.extraText(at);
  return text === null || !text.includes(meterId) ? null : (JSON.parse(text) as RunExtra);
}
