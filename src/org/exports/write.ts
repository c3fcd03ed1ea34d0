import { ExportFile } from "../../domain/export/file.ts";
import { EXTENSIONS, fileWriter } from "../../domain/export/writers.ts";
import { MANIFEST, placeOf, windowFile, windowFrom } from "../../domain/export/window.ts";
import { fetchingAsNeeded, Unreadable } from "../../storage/needs-fetch.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { transaction } from "../../storage/transaction.ts";
import type { View } from "../kernel/door.ts";
import type { DueContext } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { performDue } from "../kernel/perform/perform.ts";
import { closeWindow } from "./close.ts";
import { nextKind, readPart } from "./content.ts";
import { positionIn } from "./logs.ts";
import { manifestOf } from "./manifest.ts";
import { putFile } from "./put.ts";
import { recordStep, type ExportStep, type WrittenFile } from "./record.ts";
import { destinationOf, isOfSpans, loadExport, openWindow } from "./store.ts";

/** Longer than any step takes. If the object goes down, the step is repeated then. */
const LEASE_MS = 90_000;

/**
 * Writes an export's windows, oldest first, a file at a time. Every step may happen twice: it makes the same file under the
 * same name, and counts once. Runs of a window that waited for long may be archived: they are read from there.
 */
export async function writeExport(object: DueContext, name: string): Promise<void> {
  const row = loadExport(object.storage.sql, name);
  if (row !== null && isOfSpans(row)) return (await import("./span-send.ts")).sendSpans(object, name);
  for (;;) {
    const step = await fetchingAsNeeded(() =>
      transaction(object.storage, () => nextStep(object.view(), name)),
    );
    if (step === null) return;
    const written = await write(object, step);
    performDue(object.storage, object.view(), (tx) => recordStep(tx, step, written));
    if (typeof written === "string") return;
  }
}

/** The window to go on with, if it is time, and moves the due row to the next time to look. */
function nextStep(view: View, name: string): ExportStep | null {
  const { sql, now } = view;
  const row = loadExport(sql, name);
  if (row === null || isOfSpans(row)) {
    scheduleDue(sql, DUE.export, name, row === null ? null : now);
    return null;
  }
  const window = openWindow(sql, name) ?? closeWindow(sql, row, now);
  const dueAt = window === null ? windowFrom(row.every, row.next_from).toMs : (window.next_attempt_at ?? now);
  scheduleDue(sql, DUE.export, name, dueAt > now ? dueAt : now + LEASE_MS);
  return window === null || dueAt > now ? null : { row, window };
}

/** The next file, once it is where it belongs; otherwise what failed. */
async function write(object: DueContext, step: ExportStep): Promise<WrittenFile | string> {
  try {
    const made = await make(object, step);
    return (await put(object, step, made)) ?? made;
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

async function make(object: DueContext, { row, window }: ExportStep): Promise<WrittenFile> {
  let at = positionIn(window);
  const kind = nextKind(window, at, row.format === "focus");
  if (kind === null) {
    const { sql } = object.view();
    return { name: MANIFEST, file: manifestOf(sql, row, window), part: null };
  }
  const { id, name } = accountOf(object.view());
  const asked = { format: row.format, focusVersion: row.focus_version };
  const file = new ExportFile(await fileWriter(asked, kind, { id, name }));
  let hasRead = false;
  while (!file.isFull) {
    const from = at;
    const part = await fetchingAsNeeded(() => readPart(object.view().sql, window, from, kind));
    if (part === null) break;
    file.add(part.content);
    hasRead = true;
    at = part.next;
    // Other calls are served in between.
    await scheduler.wait(0);
  }
  if (!hasRead) throw new Error(`a window of export ${row.name} has less than was known of it`);
  const fileName = windowFile(kind, window.files + 1, EXTENSIONS[row.format]);
  return { name: fileName, file: file.end(), part: { kind, next: at } };
}

function accountOf(view: View): { readonly id: string; readonly name: string } {
  return { id: view.orgId, name: view.profile().name };
}

function put(
  object: DueContext,
  { row, window }: ExportStep,
  { name, file }: WrittenFile,
): Promise<string | null> {
  const { prefix } = destinationOf(row);
  const folder = placeOf(prefix, row.name, { fromMs: window.from_at, toMs: window.to_at });
  return putFile(object.view(), object.env.ARCHIVE, row, { ...file, key: `${folder}/${name}` });
}
