import { spanStep, type SpanStep } from "../../domain/telemetry/answer.ts";
import { sendApart } from "../../outbound/sender.ts";
import { fetchingAsNeeded } from "../../storage/needs-fetch.ts";
import { transaction } from "../../storage/transaction.ts";
import type { View } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueContext } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { performDue } from "../kernel/perform/perform.ts";
import { headersOf } from "./secret.ts";
import { destinationOf, isOfSpans, loadExport, type SpanExportRow } from "./store.ts";
import { type ReadSpans, readSpans } from "./span-read.ts";
import { recordSpans, type SpanSource } from "./span-record.ts";
import { loadSpanState, saveSpanState, type SpanState } from "../span-exports/state.ts";

/** Longer than any attempt takes. If the object goes down, the attempt is repeated then. */
const LEASE_MS = 60_000;
/** Requests of one round. The others are sent in the next. */
const MOST_REQUESTS = 50;
const PATH = "/v1/traces";

/**
 * Sends what is recorded and not sent yet, oldest first, a request at a time. A request whose answer is lost is sent again,
 * with the same spans under the same ids.
 */
export async function sendSpans(object: DueContext, name: string): Promise<void> {
  for (let request = 0; request < MOST_REQUESTS; request += 1) {
    const sending = await fetchingAsNeeded(() =>
      transaction(object.storage, () => nextSending(object.view(), name)),
    );
    if (sending === null) return;
    const { row, state, read } = sending;
    const { count } = read.batch;
    const step: SpanStep =
      count === 0
        ? { kind: "taken", rejected: 0 }
        : spanStep(await sendOne(object.view(), row, read.batch.body()), count, state.attempts);
    const goesOn = { now: false };
    performDue(object.storage, object.view(), (tx) => {
      goesOn.now = recordSpans(tx, sending, step);
    });
    if (!goesOn.now) return;
  }
}

/** Returns what to send now, and moves the due row to the next time to look. Null if there is nothing. */
function nextSending(view: View, name: string): SpanSource | null {
  const { sql, now } = view;
  const row = loadExport(sql, name);
  if (row === null || !isOfSpans(row)) {
    scheduleDue(sql, DUE.export, name, row === null ? null : now);
    return null;
  }
  const state = loadSpanState(sql, name);
  const read = readSpans(view, row, state);
  const isNothing = read.batch.count === 0 && isSamePlace(row, state, read);
  scheduleDue(sql, DUE.export, name, isNothing ? null : now + LEASE_MS);
  if (isNothing) return null;
  const { refusal_read_to } = read.next.refusals;
  if (refusal_read_to > state.refusal_read_to) saveSpanState(sql, { ...state, refusal_read_to });
  return { row, state, read };
}

/** Returns whether nothing was dropped or passed over either. */
function isSamePlace(row: SpanExportRow, state: SpanState, { next }: ReadSpans): boolean {
  const { refusals, lateDone, dropped, run } = next;
  return (
    run === row.run_from &&
    refusals.refusal_from === state.refusal_from &&
    refusals.refusal_row === state.refusal_row &&
    lateDone.length === 0 &&
    dropped === 0
  );
}

function sendOne(view: View, row: SpanExportRow, body: string) {
  const destination = destinationOf(row);
  const endpoint = destination.kind === "otlp" ? destination.endpoint.replace(/\/+$/, "") : "";
  return sendApart({
    url: endpoint.endsWith(PATH) ? endpoint : endpoint + PATH,
    headers: { ...headersOf(row, view.settings), "content-type": "application/json" },
    body,
  });
}
