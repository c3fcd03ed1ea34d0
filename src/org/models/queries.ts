import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { modelAt } from "./store.ts";
import { searchedIn } from "../../storage/list-rows.ts";
import { readList } from "../kernel/resource.ts";

export { listPrices } from "./history.ts";
export { resolvePrice } from "./resolve.ts";

export const getModel = query({
  refuses: ["not_found"],
  models: ({ model }: { model: string }) => [{ model }],
  run: (view, input: { model: string }) => modelAt(view.sql, input.model, view.now) ?? refuse("not_found"),
});

/**
 * Names of the platform's models that mean a model of the org's own, by the revisions in force: its other name, or without a
 * provider, the name that the platform's book has for it.
 */
const MEANT_AS_OWN = `WITH live AS (SELECT model, other_name FROM price_revisions AS one
      WHERE source = 'org' AND terms IS NOT NULL AND effective_at <= ?1 AND NOT EXISTS (
        SELECT 1 FROM price_revisions AS later WHERE later.model = one.model AND later.source = 'org'
          AND later.effective_at <= ?1 AND (later.effective_at, later.revision) > (one.effective_at, one.revision))),
    meant AS (SELECT other_name AS name, model FROM live WHERE other_name IS NOT NULL
      UNION SELECT p.model, live.model FROM live JOIN price_revisions AS p ON p.other_name = live.model
        WHERE p.source = 'platform' AND live.other_name IS NULL)
  SELECT name FROM meant GROUP BY name HAVING COUNT(*) = 1`;

type PricedRow = { model: string; created_at: number };

export const listModels = readList((view) => ({
  table: "priced_models",
  id: "model",
  sort: { model: "model", created_at: "created_at" },
  where: {
    sql: `(model IN (SELECT model FROM models) OR model NOT IN (${MEANT_AS_OWN}))`,
    bindings: [view.now],
  },
  searched: searchedIn(["model"], ({ model }: Pick<PricedRow, "model">) => model),
  toItem: ({ model }: PricedRow) => modelAt(view.sql, model, view.now),
}));
