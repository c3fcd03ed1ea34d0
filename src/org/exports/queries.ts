import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { exportNow, showExport } from "./lag.ts";
import { destinationOf, type ExportRow, loadExport, toWindow, type WindowRow } from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getExport = readOne(exportNow);

export const listExports = readList((view) => ({
  table: "exports",
  sort: { name: "name", created_at: "created_at" },
  id: "name",
  toItem: (row: ExportRow) => showExport(view, row),
}));

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
