import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { listRows } from "../../storage/list-rows.ts";
import { query } from "../kernel/door.ts";
import { factsOf } from "./facts.ts";
import { loadDigest, toDigest } from "./store.ts";

export const getDigest = query({
  refuses: ["not_found"],
  run({ sql }, { name }: { name: string }) {
    const row = loadDigest(sql, name);
    return row === null ? refuse("not_found") : toDigest(row);
  },
});

export const listDigests = query({
  refuses: [],
  run: ({ sql }, list: ListQuery) =>
    listRows(
      sql,
      { table: "digests", sort: { name: "name", created_at: "created_at" }, id: "name", toItem: toDigest },
      list,
    ),
});

/** The facts of the digest that would be made now. */
export const digestFacts = query({
  refuses: ["not_found"],
  readsRefusals: true,
  run(view, { name }: { name: string }) {
    const row = loadDigest(view.sql, name);
    return row === null ? refuse("not_found") : factsOf(view, row, view.now);
  },
});
