import type { ListQuery } from "../../contract/list.ts";
import type { PriceRevision } from "../../contract/resources/prices/prices.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { Revision, type RevisionRow } from "./revision.ts";
import { COLUMNS, pricesOf } from "./revisions.ts";
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
        columns: `${COLUMNS}, CAST(revision AS TEXT) AS id`,
        sort: { revision: "revision" },
        where: {
          sql: "revision IN (SELECT value FROM json_each(?))",
          bindings: [JSON.stringify(all.map(({ revision }) => revision))],
        },
        toItem: (row: RevisionRow) => shown(new Revision(row), inUse, view.now),
      },
      list,
    );
  },
});

function shown(one: Revision, inUse: Revision | null, now: number): PriceRevision {
  const { revision, model, source, effectiveAt, createdAt, isRemoved } = one;
  const later = effectiveAt > now ? "scheduled" : "past";
  return {
    revision,
    model,
    source,
    status: inUse?.revision === revision ? "current" : later,
    effective_at: iso(effectiveAt),
    created_at: iso(createdAt),
    removed: isRemoved,
    ...(isRemoved ? {} : one.terms),
  };
}
