import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { type KeyRow, loadKey, toKey } from "./store.ts";

export const listKeys = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "keys",
        sort: { created_at: "created_at", name: "name" },
        filters: { role: "role = ?" },
        toItem: (row: KeyRow) => toKey(view, row),
      },
      input,
    ),
});

export const getKey = query({
  refuses: ["not_found"],
  run(view, input: { keyId: string }) {
    const row = loadKey(view.sql, input.keyId);
    return row === null ? refuse("not_found") : toKey(view, row);
  },
});
