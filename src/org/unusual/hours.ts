import { DAY_MS } from "../../contract/durations.ts";
import {
  type HoursBySubject,
  hoursBySubject,
  type HourSpend,
  type HourSums,
  withNewHours,
} from "../../domain/forecast/hours.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import type { KnownHours } from "../../domain/forecast/unusual-subjects.ts";
import { fetchingAsNeeded, NeedsFetch, Unreadable } from "../../storage/needs-fetch.ts";
import { transaction } from "../../storage/transaction.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { command, done, type View } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueContext } from "../kernel/due/handler.ts";
import type * as newHours from "./new-hours.ts";
import type { ReadPosition } from "./new-hours.ts";

/** Steps of one round of due work. */
const MOST_STEPS = 20;

/** A look that has more runs than these to count asks for their hours to be kept. */
const MANY_RUNS = 10_000;

/** Hours are kept for so long after somebody looked at them. */
const KEPT_AFTER_LOOK_MS = 7 * DAY_MS;

const BEGINNING: ReadPosition = { run: 1, replacement: 1 };

let counter: typeof newHours | null = null;

/** Loaded when it is first needed: few orgs look at hours. */
function hourCounter(): typeof newHours {
  if (counter !== null) return counter;
  throw new NeedsFetch("what counts runs by hour", async () => {
    counter = await import("./new-hours.ts");
  });
}

type CountedRow = { run: number; replacement: number; known_to: number | null; looked_at: number | null };

/** How far runs are counted by hour. `known_to` is when the count was last complete. */
function readCounted(sql: SqlStorage): CountedRow | undefined {
  return sql
    .exec<CountedRow>("SELECT run, replacement, known_to, looked_at FROM unusual_counted")
    .toArray()[0];
}

/** Hours that are stored. Null if they were never complete. */
export function readHours(sql: SqlStorage): KnownHours | null {
  const counted = readCounted(sql);
  if (counted === undefined || counted.known_to === null) return null;
  return { bySubject: storedHours(sql), to: dayOf(counted.known_to) };
}

function storedHours(sql: SqlStorage): HoursBySubject {
  const rows = sql.exec<{ spent: string }>("SELECT spent FROM unusual_hours ORDER BY hour").toArray();
  return hoursBySubject(rows.flatMap(({ spent }) => JSON.parse(spent) as HourSpend[]));
}

/** Stored hours in memory, and how far they were counted. */
interface HoursCopy {
  readonly counted: ReadPosition;
  readonly bySubject: HoursBySubject;
}

/** For the next look. A rollback leaves them: they are read again where storage is counted up to another place. */
const copies = new TransactionalCache<HoursCopy>(() => {});

function keptHours(sql: SqlStorage, counted: ReadPosition): HoursBySubject {
  const read = (): HoursCopy => ({ counted, bySubject: storedHours(sql) });
  const there = copies.get(sql, read);
  if (isSamePlace(there.counted, counted)) return there.bySubject;
  const fresh = read();
  copies.set(sql, fresh);
  return fresh.bySubject;
}

function isSamePlace(one: ReadPosition, other: ReadPosition): boolean {
  return one.run === other.run && one.replacement === other.replacement;
}

/**
 * The hours as they are now: those that are stored, and those of runs that are not counted yet. Null if these are too many to
 * read at once.
 */
export function currentHours({ sql, now }: View): KnownHours | null {
  const { countNewRuns, newRunsFrom } = hourCounter();
  const place = readCounted(sql) ?? BEGINNING;
  if (!newRunsFrom(sql, now, place).isOneStep) return null;
  const { sums, isEnd } = countNewRuns(sql, now, place);
  if (!isEnd) return null;
  return { bySubject: withNewHours(keptHours(sql, place), withStored(sql, sums).flat()), to: dayOf(now) };
}

/** Each hour that has new runs, with what is stored of it. */
function withStored(sql: SqlStorage, sums: HourSums): HourSpend[][] {
  return sums.hours.map((hour) => {
    const [row] = sql
      .exec<{ spent: string }>("SELECT spent FROM unusual_hours WHERE hour = ?", hour)
      .toArray();
    for (const spend of JSON.parse(row?.spent ?? "[]") as HourSpend[]) sums.add(spend);
    return sums.rows(hour).map(rounded);
  });
}

/** Returns whether the next look should find these hours counted, and nobody has said so today. */
export function isWorthKeeping({ sql, now }: View): boolean {
  const counted = readCounted(sql);
  if (counted === undefined) return hourCounter().newRunsFrom(sql, now, BEGINNING).runs > MANY_RUNS;
  return counted.looked_at !== null && counted.looked_at < now - DAY_MS;
}

/** Somebody looks at hours that take long to count: from now on they are counted once an hour. */
export const keepHours = command({
  action: null,
  refuses: [],
  run(tx, _input: object) {
    tx.sql.exec(
      `INSERT INTO unusual_counted (only, run, replacement, looked_at) VALUES (1, ?, ?, ?)
       ON CONFLICT (only) DO UPDATE SET looked_at = excluded.looked_at`,
      BEGINNING.run,
      BEGINNING.replacement,
      tx.now,
    );
    tx.schedule(DUE.unusual, "", tx.now);
    return done(204, null);
  },
});

/** Returns whether somebody has looked lately. */
export function isLookedAt(sql: SqlStorage, now: number): boolean {
  return (readCounted(sql)?.looked_at ?? 0) > now - KEPT_AFTER_LOOK_MS;
}

/** Counts the runs that came since the last time, in steps. False if there are more than one round counts. */
export async function countHours(object: DueContext): Promise<boolean> {
  try {
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (await fetchingAsNeeded(() => countStep(object))) return true;
      // Other calls are served before the next step.
      await scheduler.wait(0);
    }
    return false;
  } catch (error) {
    // Days of the org, of models and of customers need no run: those are looked at without the hours.
    if (!(error instanceof Unreadable)) throw error;
    return true;
  }
}

/** True after the last one. */
function countStep(object: DueContext): boolean {
  const { countNewRuns, firstKeptHour } = hourCounter();
  const { storage } = object;
  const { now } = object.view();
  const { isEnd, spends, from, next } = transaction(storage, (sql) => {
    const counted = readCounted(sql);
    const begun = counted ?? BEGINNING;
    const found = countNewRuns(sql, now, begun);
    const changed = withStored(sql, found.sums);
    for (const [at, hour] of found.sums.hours.entries()) {
      sql.exec(
        "INSERT OR REPLACE INTO unusual_hours (hour, spent) VALUES (?, ?)",
        hour,
        JSON.stringify(changed[at]),
      );
    }
    const deleted = sql.exec("DELETE FROM unusual_hours WHERE hour < ?", firstKeptHour(now));
    if (deleted.rowsWritten > 0) copies.forget(sql);
    sql.exec(
      `INSERT INTO unusual_counted (only, run, replacement, known_to) VALUES (1, ?, ?, ?)
       ON CONFLICT (only) DO UPDATE SET run = excluded.run, replacement = excluded.replacement,
         known_to = excluded.known_to`,
      found.next.run,
      found.next.replacement,
      found.isEnd ? now : (counted?.known_to ?? null),
    );
    return { isEnd: found.isEnd, spends: changed.flat(), from: begun, next: found.next };
  });
  copies.renew(storage.sql, (copy) => {
    if (!isSamePlace(copy.counted, from)) return copy;
    return { counted: next, bySubject: withNewHours(copy.bySubject, spends) };
  });
  return isEnd;
}

/** Millionths of a dollar are more than enough for what is only compared. */
const rounded = ([hour, kind, id, usd, runs]: HourSpend): HourSpend => [
  hour,
  kind,
  id,
  Number(usd.toFixed(6)),
  runs,
];

/** Nobody wants to know of unusual spend any more: what was counted for it is not kept. */
export function forgetHours(sql: SqlStorage): void {
  sql.exec("DELETE FROM unusual_hours");
  sql.exec("DELETE FROM unusual_counted");
  copies.forget(sql);
}
