import { SPAN_FORMAT, SPAN_PERIOD } from "../../contract/lists.ts";
import type { Destination, NewExport } from "../../contract/resources/exports.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { windowStart } from "../../domain/export/window.ts";
import { encrypt, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { countRows, saveRow } from "../../storage/rows.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { startWindowOver } from "./close.ts";
import { exportNow, showExport } from "./lag.ts";
import { LOGS_BEGIN, placeAt, positionColumns } from "./logs.ts";
import { beginOrResume } from "./span-begin.ts";
import { deleteSpanState } from "../span-exports/state.ts";
import { type ExportRow, isOfSpans, loadExport, openWindow } from "./store.ts";
import { refuseMore } from "../kernel/resource.ts";

/** The maximum per org: each reads every run. */
const MOST_EXPORTS = 10;

type SetExport = NewExport & { readonly name: string };

/**
 * A new export begins with the period that it is made in. One that is changed goes on where it was: a window that is not
 * whole is written again, the new way. One that is changed from files to spans, or back, begins anew.
 */
export const setExport = command({
  action: "export.set",
  refuses: ["conflict", "validation_failed"],
  current: exportNow,
  run(tx, { name, format, focus_version, every, destination }: SetExport) {
    if (destination.kind === "bucket" && !tx.hasBucket) {
      const message = "is not available, because this region has no bucket. Use s3";
      return invalidField("destination.kind", "unavailable", message);
    }
    const known = loadExport(tx.sql, name);
    if (known === null && countRows(tx.sql, "exports") >= MOST_EXPORTS) {
      return refuseMore(MOST_EXPORTS, "exports");
    }
    // Files and spans have nothing in common that could go on.
    const isOther = known !== null && isOfSpans(known) !== (destination.kind === "otlp");
    if (isOther) forget(tx.sql, name);
    const before = isOther ? null : known;
    const [kept, ciphertext] = apart(tx, destination);
    const row = {
      ...(before ?? beginning(tx, destination.kind === "otlp" ? null : every)),
      ...formOf({ format, focus_version, every, destination }),
      name,
      destination: JSON.stringify(kept),
      sealed: ciphertext,
      change: (known?.change ?? 0) + 1,
      updated_at: tx.now,
    } as ExportRow;
    saveRow(tx.sql, "exports", row);
    if (isOfSpans(row)) beginOrResume(tx, name);
    const open = openWindow(tx.sql, name);
    if (open !== null) startWindowOver(tx.sql, open);
    tx.schedule(DUE.export, name, tx.now);
    const detail = { format: row.format, every: row.every, destination: kept };
    return done(200, showExport(tx, row), { target: name, detail });
  },
});

function formOf({ format, focus_version, every, destination }: NewExport) {
  if (destination.kind === "otlp") return { format: SPAN_FORMAT, every: SPAN_PERIOD, focus_version: null };
  return { format, every, focus_version: format === "focus" ? (focus_version ?? "1.2") : null };
}

/** Returns what is shown of a destination, and its secret, encrypted. */
function apart(tx: Tx, given: NewExport["destination"]): readonly [Destination, string | null] {
  if (given.kind === "bucket") return [given, null];
  const encrypted = (secret: string) =>
    encrypt(tx.settings.SVC_KEY_PEPPER, ENCRYPTED_FOR.exportDestination, secret);
  if (given.kind === "otlp") {
    const { kind, endpoint, headers = {} } = given;
    const names = Object.keys(headers);
    const shownNames = { kind, endpoint, prefix: "", header_names: names };
    return [shownNames, names.length === 0 ? null : encrypted(JSON.stringify(headers))];
  }
  const { secret_access_key: secret, ...kept } = given;
  return [kept, encrypted(secret)];
}

/** Files begin with the period, spans with what comes from now on. */
function beginning({ sql, now }: Tx, every: NewExport["every"] | null) {
  const from = every === "hour" || every === "day" ? windowStart(every, now) : now;
  return { next_from: from, ...positionColumns(placeAt(sql, LOGS_BEGIN, from)), created_at: now };
}

function forget(sql: SqlStorage, name: string): void {
  sql.exec(
    "DELETE FROM export_files WHERE window IN (SELECT seq FROM export_windows WHERE export = ?)",
    name,
  );
  sql.exec("DELETE FROM export_windows WHERE export = ?", name);
  sql.exec("DELETE FROM exports WHERE name = ?", name);
  deleteSpanState(sql, name);
}

/** Written files stay where they are. Retention waits for the export no longer. */
export const deleteExport = command({
  action: "export.deleted",
  refuses: ["not_found", "conflict"],
  current: exportNow,
  run(tx, { name }: { name: string }) {
    if (loadExport(tx.sql, name) === null) return refuse("not_found");
    forget(tx.sql, name);
    tx.schedule(DUE.export, name, null);
    tx.schedule(DUE.retentionSweep, "all", tx.now);
    return done(204, null, { target: name });
  },
});
