import type { Destination, NewExport } from "../../contract/resources/exports.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { windowStart } from "../../domain/export/window.ts";
import { seal, SEALED_FOR } from "../../domain/key/encrypt.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { startWindowOver } from "./close.ts";
import { lagOf } from "./lag.ts";
import { LOGS_BEGIN, placeAt } from "./logs.ts";
import { type ExportRow, loadExport, loadExports, openWindow, toExport } from "./store.ts";

/** The maximum per org: each reads every run. */
const MOST_EXPORTS = 10;

type SetExport = NewExport & { readonly name: string };

const shown = (tx: Pick<Tx, "sql" | "now">, row: ExportRow) =>
  toExport(tx.sql, row, lagOf(tx.sql, row, tx.now));

/**
 * A new export begins with the period that it is made in. One that is changed goes on where it was: a window that is not
 * whole is written again, the new way.
 */
export const setExport = command({
  action: "export.set",
  refuses: ["conflict", "validation_failed"],
  current(view, { name }: SetExport) {
    const row = loadExport(view.sql, name);
    return row === null ? null : shown(view, row);
  },
  run(tx, { name, format, focus_version, every, destination }: SetExport) {
    if (destination.kind === "bucket" && !tx.hasBucket) {
      const message = "is not available, because this region has no bucket. Use s3";
      return invalidField("destination.kind", "unavailable", message);
    }
    const before = loadExport(tx.sql, name);
    if (before === null && loadExports(tx.sql).length >= MOST_EXPORTS) {
      const message = `An organization can have at most ${MOST_EXPORTS} exports. Delete one first.`;
      return refuse("conflict", {}, { message });
    }
    const [kept, sealed] = apart(tx, destination);
    const row: ExportRow = {
      ...(before ?? beginning(tx, every)),
      name,
      format,
      focus_version: format === "focus" ? (focus_version ?? "1.2") : null,
      every,
      destination: JSON.stringify(kept),
      sealed,
      change: (before?.change ?? 0) + 1,
      updated_at: tx.now,
    };
    save(tx.sql, row);
    const open = openWindow(tx.sql, name);
    if (open !== null) startWindowOver(tx.sql, open);
    tx.schedule(DUE.export, name, tx.now);
    const detail = { format, every, destination: kept };
    return done(200, shown(tx, row), { target: name, detail });
  },
});

/** What is shown of a destination, and its secret, sealed. */
function apart(tx: Tx, given: NewExport["destination"]): readonly [Destination, string | null] {
  if (given.kind === "bucket") return [given, null];
  const { secret_access_key: secret, ...kept } = given;
  return [kept, seal(tx.settings.SVC_KEY_PEPPER, SEALED_FOR.exportDestination, secret)];
}

function beginning({ sql, now }: Tx, every: NewExport["every"]) {
  const from = windowStart(every, now);
  const place = placeAt(sql, LOGS_BEGIN, from);
  return {
    next_from: from,
    run_from: place.run,
    adjustment_from: place.adjustment,
    replacement_from: place.replacement,
    created_at: now,
  };
}

function save(sql: SqlStorage, row: ExportRow): void {
  const names = Object.keys(row);
  const values = Object.values(row) as SqlStorageValue[];
  sql.exec(
    `INSERT OR REPLACE INTO exports (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ...values,
  );
}

/** What is written stays where it is. Retention waits for the export no longer. */
export const deleteExport = command({
  action: "export.deleted",
  refuses: ["not_found", "conflict"],
  current(view, { name }: { name: string }) {
    const row = loadExport(view.sql, name);
    return row === null ? null : shown(view, row);
  },
  run(tx, { name }) {
    if (loadExport(tx.sql, name) === null) return refuse("not_found");
    tx.sql.exec(
      "DELETE FROM export_files WHERE window IN (SELECT seq FROM export_windows WHERE export = ?)",
      name,
    );
    tx.sql.exec("DELETE FROM export_windows WHERE export = ?", name);
    tx.sql.exec("DELETE FROM exports WHERE name = ?", name);
    tx.schedule(DUE.export, name, null);
    tx.schedule(DUE.retentionSweep, "all", tx.now);
    return done(204, null, { target: name });
  },
});
