import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { factsOf } from "./facts.ts";
import { digestNow, loadDigest, toDigest } from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getDigest = readOne(digestNow);

export const listDigests = readList(() => ({
  table: "digests",
  sort: { name: "name", created_at: "created_at" },
  id: "name",
  toItem: toDigest,
}));

/** The facts of the digest that would be made now. */
export const digestFacts = query({
  refuses: ["not_found"],
  readsRefusals: true,
  run(view, { name }: { name: string }) {
    const row = loadDigest(view.sql, name);
    return row === null ? refuse("not_found") : factsOf(view, row, view.now);
  },
});
