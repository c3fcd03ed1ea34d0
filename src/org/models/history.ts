import type { ListQuery } from "../../contract/list.ts";
import type { PriceRevision } from "../../contract/resources/prices/prices.ts";
import { refuse } from "../../contract/refusal.ts";
import { query, type View } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import type { Revision } from "./revision.ts";
import { loadRevision, pricesOf } from "./revisions.ts";
import { iso } from "../../domain/time/iso.ts";

/** Every revision of a name: the org's own, and those of the platform's book that it has used. */
export const listPrices = query({
  refuses: ["not_found"],
  models: ({ model }: { model: string; list: ListQuery }) => [{ model }],
  run(view, { model, list }: { model: string; list: ListQuery }) {
    const prices = pricesOf(view.sql, { model });
    const all = prices.all();
    if (all.length === 0) return refuse("not_found");
    const inUse = prices.at(view.now, view.now);
    return listRows(
      view.sql,
      {
        table: "price_revisions",
        columns: "revision, CAST(revision AS TEXT) AS id, created_at",
        sort: { revision: "revision" },
        where: {
          sql: "revision IN (SELECT value FROM json_each(?))",
          bindings: [JSON.stringify(all.map(({ revision }) => revision))],
        },
        toItem: ({ revision }: { revision: number }) => shown(view, revision, inUse),
      },
      list,
    );
  },
});

function shown(view: View, number: number, inUse: Revision | null): PriceRevision {
  const revision = loadRevision(view.sql, number);
  if (revision === null) throw new Error(`there is no price revision ${number}`);
  const { model, source, effectiveAt, createdAt, isRemoved } = revision;
  const later = effectiveAt > view.now ? "scheduled" : "past";
  return {
    revision: number,
    model,
    source,
    status: inUse?.revision === number ? "current" : later,
    effective_at: iso(effectiveAt),
    created_at: iso(createdAt),
    removed: isRemoved,
    ...(isRemoved ? {} : revision.terms),
  };
}
