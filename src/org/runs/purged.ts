import { createHash } from "node:crypto";
import type { HashKey } from "../../domain/id-index/keyed-number.ts";
import { numberOf } from "../../domain/id-index/number.ts";
import { NAME_BYTES, type Remains, SAID_BYTES } from "../../domain/run-block/remains.ts";
import { RUN_ID_KEPT_MS } from "../../domain/retention.ts";
import { extraOf } from "./extra.ts";
import type { RunInput } from "../../contract/resources/runs.ts";
import type { Run } from "./run.ts";
import { runOf } from "./run-of.ts";
import { digestOf, digestOfRun, saidByInput } from "./same.ts";
import { NOTHING_MORE } from "../../domain/admission.ts";

/** A row of `purged_runs`, where an earlier version stored what remains of runs. */
type PurgedRow = {
  id: number;
  rest: string;
  said: string;
  recorded_at: number;
  charged_after: number;
  depth: number;
  cost_text: string;
};

const QUARTER_MONTHS = 3;

/**
 * Rows of one quarter are stored together: they expire together, and an id is searched in the few existing quarters.
 */
export function quarterOf(timeMs: number): number {
  const time = new Date(timeMs);
  return Math.floor((time.getUTCFullYear() * 12 + time.getUTCMonth()) / QUARTER_MONTHS);
}

function nameOf(id: string): string {
  return createHash("sha256")
    .update(id)
    .digest("hex")
    .slice(0, NAME_BYTES * 2);
}

/** The first 48 bits of a name, by which rows are found. */
function rowIdOf(name: string): number {
  return Number.parseInt(name.slice(0, 12), 16);
}

/** How much of a digest is stored, in hexadecimal. */
const SAID_DIGITS = SAID_BYTES * 2;

/** What remains of a run that is about to be deleted. */
export function remainsOf(run: Run, key: HashKey | null): Remains {
  const { id, recordedAt, chargedAt, depth, cost } = run;
  const said = digestOfRun(run).slice(0, SAID_DIGITS);
  return { number: numberOf(id, key), name: nameOf(id), said, recordedAt, chargedAt, depth, cost };
}

/** Which of the ids belong to deleted runs. `remains` are candidates. */
export function findPurged(
  sql: SqlStorage,
  ids: readonly string[],
  remains: readonly Remains[],
  now: number,
): Map<string, Remains> {
  const found = new Map<string, Remains>();
  const hasRows = sql.exec("SELECT 1 FROM purged_runs LIMIT 1").toArray().length > 0;
  if (ids.length === 0 || (remains.length === 0 && !hasRows)) return found;
  const names = new Map(ids.map((id) => [nameOf(id), id]));
  const rows = hasRows ? readRows(sql, [...names.keys()], now) : [];
  for (const one of [...rows, ...remains]) {
    const id = names.get(one.name);
    if (id !== undefined && one.recordedAt > now - RUN_ID_KEPT_MS) found.set(id, one);
  }
  return found;
}

function readRows(sql: SqlStorage, names: readonly string[], now: number): Remains[] {
  const [first, last] = [quarterOf(now - RUN_ID_KEPT_MS), quarterOf(now)];
  const quarters = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return sql
    .exec<PurgedRow>(
      `SELECT id, lower(hex(rest)) AS rest, lower(hex(said)) AS said, recorded_at, charged_after, depth,
         CAST(cost AS TEXT) AS cost_text
       FROM purged_runs WHERE quarter IN (SELECT value FROM json_each(?)) AND id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(quarters),
      JSON.stringify(names.map(rowIdOf)),
    )
    .toArray()
    .map((row) => ({
      number: 0,
      name: row.id.toString(16).padStart(12, "0") + row.rest,
      said: row.said,
      recordedAt: row.recorded_at,
      chargedAt: row.recorded_at + row.charged_after,
      depth: row.depth,
      cost: BigInt(row.cost_text),
    }));
}

/**
 * The run as it was sent again and recorded before. Null if that was a different run. What it was charged to is
 * unknown.
 */
export function purgedRun(row: Remains, input: RunInput & { readonly id: string }): Run | null {
  if (digestOf(saidByInput(input)).slice(0, SAID_DIGITS) !== row.said) return null;
  return runOf(input, {
    id: input.id,
    keyId: null,
    chargedAt: row.chargedAt,
    recordedAt: row.recordedAt,
    depth: row.depth,
    cost: row.cost,
    charges: "",
    extra: extraOf(input, NOTHING_MORE, [], { revision: null, hold: null, accounts: [], keyId: null }),
  });
}
