import { DUE } from "../due-kinds.ts";
import type { ErrorCode } from "../../../contract/errors.ts";
import { etagOf, ifMatchRefusal, newOnlyRefusal } from "../../../contract/etag.ts";
import { envelopeText, isRefusal, type Refusal } from "../../../contract/refusal.ts";
import { writeRaw } from "../../../domain/text/raw-json.ts";
import { appendAudit } from "../audit/append.ts";
import { checkpoint, savepoint, transaction, walTransaction } from "../../../storage/transaction.ts";
import { countSeries } from "../counters/count.ts";
import type { Answer, CheckpointedTx, Command, Done, Envelope, Outcome, Tx, View } from "../door.ts";
import { scheduleDue } from "../due/table.ts";
import { appendEvents } from "../events/append.ts";
import { claim, complete } from "../idempotency/records.ts";
import { Ending } from "./ending.ts";

/** Thrown to roll back a refused attempt. It never leaves this file. */
class RolledBack extends Error {}

/** The transaction as a rule sees it, over a view of the object. */
export function openTx(view: View, ending: Ending): Tx {
  return {
    ...view,
    emit: (kind, data) => appendEvents(view, kind, [data]),
    emitAll: (kind, all) => appendEvents(view, kind, all),
    count: (series, by) => countSeries(view.sql, view.now, series, by),
    tally: (counts) => ending.tally(counts),
    schedule: (kind, key, at) => scheduleDue(view.sql, kind, key, at),
    record: (entry) => appendAudit(view, entry),
    emitLast: (kind, data) => ending.emit(kind, data),
    afterRefusal: (effect) => ending.afterRefusal(effect),
  };
}

/** Runs a rule. If it refuses, nothing that it did remains, except what it scheduled for after the refusal. */
function attempt(
  transact: typeof savepoint,
  storage: DurableObjectStorage,
  view: View,
  { run, isDryRun }: { readonly run: (tx: Tx) => Answer | Refusal; readonly isDryRun: boolean },
): Answer | Refusal {
  const ending = new Ending();
  const tx = openTx(view, ending);
  let result: Answer | Refusal | undefined;
  try {
    transact(storage, () => {
      result = run(tx);
      if (isRefusal(result) || isDryRun) throw new RolledBack();
      ending.end(view, false);
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
    if (!isDryRun) transact(storage, () => ending.end(view, true));
  }
  if (result === undefined) throw new Error("a command returned nothing");
  return result;
}

function toAnswer(result: Done): Answer {
  return {
    status: result.status,
    text: result.body === null ? null : writeRaw(JSON.stringify(result.body)),
    etag: result.body === null || result.target === null ? null : etagOf(result.body),
    code: null,
    replayed: false,
  };
}

function replayed<Input>(view: View, command: Command<Input, ErrorCode>, outcome: Outcome): Outcome {
  if (isRefusal(outcome) || outcome.code !== null || outcome.text === null) return outcome;
  return command.replayRefusal?.(view, outcome.text) ?? outcome;
}

interface CommandCall<Input> {
  readonly envelope: Envelope;
  readonly command: Command<Input, ErrorCode>;
  readonly input: Input;
}

/** Returns why what is there now does not meet the conditions of the call. */
function conditionRefusal<Input>(
  view: View,
  { envelope: { ifMatch, mustBeNew }, command: { current }, input }: CommandCall<Input>,
): Refusal | null {
  if (current === undefined || (ifMatch === null && mustBeNew !== true)) return null;
  const there = current(view, input);
  return ifMatchRefusal(ifMatch, there) ?? (mustBeNew === true ? newOnlyRefusal(there) : null);
}

/** One complete command: effect, audit entry, events and idempotency record commit together or not at all. */
export function perform<Input>(
  storage: DurableObjectStorage,
  view: View,
  { envelope, command, input }: CommandCall<Input>,
): Outcome {
  const isDryRun = envelope.isDryRun === true;
  // A call that changes nothing uses up no key: the same key is for the change itself.
  const ask = isDryRun ? null : envelope.idempotency;
  const refuseCaller = () =>
    command.admitsItself?.(view.actor, input) === true
      ? null
      : view.hooks.callerRefusal(view, command.servesEndedKeys === true);
  const run = (tx: Tx): Answer | Refusal => {
    const outdated = conditionRefusal(view, { envelope, command, input });
    if (outdated !== null) return outdated;
    const outcome =
      command.usesWal === true
        ? command.run(tx, input)
        : command.run({ ...tx, sql: checkpoint(tx.sql) }, input);
    if (!isRefusal(outcome) && command.action !== null) {
      tx.record({
        action: command.action,
        target: outcome.target,
        outcome: "done",
        detail: outcome.detail,
      });
    }
    if (command.publishes !== undefined) tx.schedule(DUE.publish, command.publishes, tx.now);
    return isRefusal(outcome) ? outcome : toAnswer(outcome);
  };
  // Only the record of a key outlives a refusal, and the checkpoint that a command which is not frequent begins with.
  if (ask === null && command.usesWal === true) {
    return attempt(walTransaction, storage, view, { run: (tx) => refuseCaller() ?? run(tx), isDryRun });
  }
  const within = command.usesWal === true ? walTransaction : transaction;
  return within(storage, () => {
    const refused = refuseCaller();
    if (refused !== null) return refused;
    if (ask !== null) {
      const claimed = claim(view, ask);
      if (claimed.kind === "answered") return replayed(view, command, claimed.outcome);
    }
    const result = attempt(savepoint, storage, view, { run, isDryRun });
    if (ask !== null) complete(view, ask, isRefusal(result) ? storedRefusal(result) : result);
    return result;
  });
}

function storedRefusal(refusal: Refusal): Parameters<typeof complete>[2] {
  return { status: refusal.status, code: refusal.code, text: envelopeText(refusal), etag: null };
}

/** Scheduled work of the object itself, with the same guarantees as a command. */
export function performDue(
  storage: DurableObjectStorage,
  view: View,
  run: (tx: CheckpointedTx) => void,
): void {
  transaction(storage, (sql) => {
    const ending = new Ending();
    run({ ...openTx(view, ending), sql });
    ending.end(view, false);
  });
}

/** The same as a part of another transaction, of whose kind it is: one of the write-ahead log makes no checkpoint for it. */
export function performPart(storage: DurableObjectStorage, view: View, run: (tx: Tx) => void): void {
  savepoint(storage, () => {
    const ending = new Ending();
    run(openTx(view, ending));
    ending.end(view, false);
  });
}
