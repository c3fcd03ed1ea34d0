import { keyNow, type KeyRow, toKey } from "./store.ts";
import { searchedIn } from "../../storage/list-rows.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const listKeys = readList((view) => ({
  table: "keys",
  sort: { created_at: "created_at", name: "name" },
  filters: { role: "role = ?" },
  searched: searchedIn(["name"], ({ name }: Pick<KeyRow, "name">) => name),
  toItem: (row: KeyRow) => toKey(view, row),
}));

export const getKey = readOne(keyNow);
