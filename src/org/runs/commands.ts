import type { FieldError } from "../../contract/error-details.ts";
import { invalidFields } from "../../contract/refusal.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { announceLoneRefusal, announceRefusal } from "../ledger/announce.ts";
import { tallyOthers, tallyRuns, tallyUnpriced } from "../ledger/tally.ts";
import { LIMIT_CODES } from "../../contract/limit-codes.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { exactRuns } from "../../domain/run/metadata.ts";
import { readRuns } from "../../domain/run/read-runs.ts";
import type { MeterAccount } from "../meters/usage.ts";
import type { RUN_OUTCOMES } from "../../contract/lists.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { BULK_ROUTE, RUN_ROUTE } from "./rates.ts";
import { type RecordResult, Recorder } from "./record.ts";
import { refusedRuns } from "./refusal-notes.ts";
import type { Run } from "./run.ts";
import { endedRefusal, recordSent } from "./sender.ts";
import { runAsRecorded, toRunResource } from "./to-api.ts";
import { cached } from "../../domain/cache/cached.ts";

const CODES = [
  ...LIMIT_CODES,
  "conflict",
  "validation_failed",
  "service_unavailable",
  "missing_scope",
  "forbidden",
  "gone",
  "key_expired",
] as const;

function reservationsOf({ reservation_id }: RunInput): string[] {
  return reservation_id === undefined ? [] : [reservation_id];
}

/** Many runs as the caller sent them. */
interface Batch {
  readonly text: string;
}

/**
 * Parsed once, at the first use, and dropped when they are recorded: what a weak map holds, the collector of young objects keeps.
 */
const parsed = new WeakMap<Batch, readonly RunInput[] | null>();

function runsOf(batch: Batch): readonly RunInput[] | null {
  return cached(parsed, batch, () => {
    const found = readRuns(batch.text);
    return found === null ? null : exactRuns(found, batch.text);
  });
}

/** Models of runs that do not state their cost. */
function modelsOf(runs: readonly RunInput[]): readonly ModelName[] {
  const names = new Map<string, ModelName>();
  let last: ModelName | undefined;
  for (const { cost_usd: cost, model, provider } of runs) {
    if (cost !== undefined || (model === last?.model && provider === last.provider)) continue;
    last = { model, provider };
    names.set(provider === undefined ? model : `${model}\n${provider}`, last);
  }
  return [...names.values()];
}

type RejectedRun = Extract<RecordResult, { status: "rejected" }>;

/** One run: recorded and charged, or refused with nothing changed. A repeated run is not charged again. */
export const recordRun = command({
  action: "run.recorded",
  usesWal: true,
  refuses: CODES,
  servesEndedKeys: true,
  reservations: reservationsOf,
  models: (input: RunInput) => modelsOf([input]),
  run(tx, input: RunInput) {
    const recorder = new Recorder(tx, RUN_ROUTE);
    const [recorded] = recordSent(tx, recorder, [input]);
    if (recorded === undefined) throw new Error("one run was recorded as none");
    if (recorded.status === "rejected") {
      tx.refused(refusedRuns(tx, RUN_ROUTE, [input], [recorded]));
      announceAfter(tx, [recorded]);
      tx.afterRefusal(() => tally(tx, [input], [recorded]));
      return recorded.refusal;
    }
    recorder.save();
    tally(tx, [input], [recorded]);
    // Nobody can have adjusted a run before it was recorded.
    const isNew = recorded.status === "accepted";
    const shown = isNew ? runAsRecorded(tx.sql, recorded.run) : toRunResource(tx.sql, recorded.run);
    return done(isNew ? 201 : 200, shown, {
      target: recorded.run.id,
      detail: { status: recorded.status },
    });
  },
});

/**
 * Many runs, each on its own, in order. The text is what the caller sent. A malformed batch is refused without
 * naming a field: the caller's isolate, which has the schema, explains it.
 */
export const recordRuns = command({
  action: "runs.recorded",
  usesWal: true,
  refuses: CODES,
  servesEndedKeys: true,
  reservations(batch: Batch) {
    const ids: string[] = [];
    for (const { reservation_id } of runsOf(batch) ?? []) {
      if (reservation_id !== undefined) ids.push(reservation_id);
    }
    return ids;
  },
  models: (batch: Batch) => modelsOf(runsOf(batch) ?? []),
  run(tx, batch: Batch) {
    const runs = runsOf(batch);
    parsed.delete(batch);
    if (runs === null) return endedRefusal(tx) ?? invalidFields([]);
    const recorder = new Recorder(tx, BULK_ROUTE);
    const recorded = recordSent(tx, recorder, runs);
    const counts = countsOf(recorded);
    if (counts.rejected > 0) tx.refused(refusedRuns(tx, BULK_ROUTE, runs, recorded));
    const common = commonRefusal(recorded);
    if (common !== null) {
      announceAfter(tx, recorded.filter(isRejected));
      tx.afterRefusal(() => tally(tx, runs, recorded));
      return common;
    }
    for (const { by } of counts.rejected > 0 ? recorded.filter(isRejected) : []) {
      if (by !== null) announceRefusal(tx, by.account as MeterAccount, by.attempt, "run");
    }
    recorder.save();
    tally(tx, runs, recorded);
    return done(200, { ...counts, results: recorded.map(toResult) }, { detail: counts });
  },
});

const isRejected = (one: RecordResult): one is RejectedRun => one.status === "rejected";

/** One loop, because it is done for every batch. */
function countsOf(recorded: readonly RecordResult[]) {
  const counts = { accepted: 0, duplicates: 0, rejected: 0 };
  for (const { status } of recorded) {
    if (status === "accepted") counts.accepted += 1;
    else if (status === "duplicate") counts.duplicates += 1;
    else counts.rejected += 1;
  }
  return counts;
}

/** Adds to the platform's counters what became of each run. */
function tally(tx: Tx, inputs: readonly RunInput[], recorded: readonly RecordResult[]): void {
  const accepted: Run[] = [];
  const others = { duplicate: [], rejected: [] } as Record<"duplicate" | "rejected", Outcome[]>;
  for (const [index, one] of recorded.entries()) {
    if (one.status === "accepted") accepted.push(one.run);
    else others[one.status].push(outcomeOf(inputs[index]));
  }
  tallyRuns(tx, accepted);
  tallyOthers(tx, "duplicate", others.duplicate);
  tallyOthers(tx, "rejected", others.rejected);
  tallyUnpriced(
    tx,
    recorded.filter(isRejected).map(({ refusal }) => refusal),
  );
}

type Outcome = (typeof RUN_OUTCOMES)[number];

function outcomeOf(input: RunInput | undefined): Outcome {
  const { outcome } = (input ?? {}) as { readonly outcome?: Outcome };
  return outcome ?? "completed";
}

function toResult(one: RecordResult, index: number) {
  if (!isRejected(one)) return { index, id: one.run.id, status: one.status };
  const { code, message, details } = one.refusal;
  const error = { code, message, details: details as Readonly<Record<string, unknown>> };
  return { index, id: one.id, status: one.status, error };
}

/** If every run is refused with the same code, that refusal is the response. */
function commonRefusal(recorded: readonly RecordResult[]): RejectedRun["refusal"] | null {
  const first = recorded[0];
  if (first === undefined || !isRejected(first)) return null;
  const same = recorded.every((one) => isRejected(one) && one.refusal.code === first.refusal.code);
  if (!same) return null;
  return first.refusal.code === "validation_failed" ? invalidRuns(recorded) : first.refusal;
}

/** Each bad field of each run, with its position in the batch. */
function invalidRuns(recorded: readonly RecordResult[]): RejectedRun["refusal"] {
  return invalidFields(
    recorded.filter(isRejected).flatMap(({ refusal }, index) =>
      (refusal.details as { fields: FieldError[] }).fields.map((error) => ({
        ...error,
        field: `runs[${index}].${error.field}`,
      })),
    ),
  );
}

function announceAfter(tx: Tx, rejected: readonly RejectedRun[]): void {
  const refusing = rejected.flatMap(({ by }) => (by === null ? [] : [by]));
  if (refusing.length === 0) return;
  tx.afterRefusal(() => {
    for (const { account, attempt } of refusing) announceLoneRefusal(tx, account, attempt, "run");
  });
}
