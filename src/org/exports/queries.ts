import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { lagOf } from "./lag.ts";
import { destinationOf, type ExportRow, loadExport, toExport, toWindow, type WindowRow } from "./store.ts";

export const getExport = query({
  refuses: ["not_found"],
  run(view, { name }: { name: string }) {
    const row = loadExport(view.sql, name);
    return row === null ? refuse("not_found") : toExport(view.sql, row, lagOf(view.sql, row, view.now));
  },
});

export const listExports = query({
  refuses: [],
  run: ({ sql, now }, list: ListQuery) =>
    listRows(
      sql,
      {
        table: "exports",
        sort: { name: "name", created_at: "created_at" },
        id: "name",
        toItem: (row: ExportRow) => toExport(sql, row, lagOf(sql, row, now)),
      },
      list,
    ),
});

export const listExportWindows = query({
  refuses: ["not_found"],
  run({ sql }, { name, list }: { name: string; list: ListQuery }) {
    const row = loadExport(sql, name);
    if (row === null) return refuse("not_found");
    const destination = destinationOf(row);
    return listRows(
      sql,
      {
        table: "export_windows",
        sort: { to: "to_at" },
        id: "folder",
        where: { sql: "export = ?", bindings: [name] },
        toItem: (window: WindowRow) => toWindow(window, destination),
      },
      list,
    );
  },
});
