import { readOnlyErrors } from "../../contract/read-only.ts";
import { MODEL_READ_ONLY, type NewModel } from "../../contract/resources/models.ts";
import { invalidField, invalidFields, refuse } from "../../contract/refusal.ts";
import { instantOf } from "../../domain/time/instant.ts";
import { iso } from "../../domain/time/iso.ts";
import { termsOf } from "../../domain/price/terms.ts";
import { command, done, type Tx, type View } from "../kernel/door.ts";
import { forgetPrices, insertRevision } from "./revisions.ts";
import { deletionOf, loadModel, modelAt, type ModelRow, ownPriceAt, saveModel, toModel } from "./store.ts";

const current = (view: View, input: { model: string }) => modelAt(view.sql, input.model, view.now);
const named = ({ model }: { model: string }) => [{ model }];

export { rereadPrices } from "./platform-book.ts";

/** Setting terms that will already be in force then creates no revision. */
export const setModel = command({
  action: "model.set",
  changesLimits: true,
  refuses: ["validation_failed"],
  models: named,
  current,
  run(tx, { model, body }: { model: string; body: NewModel }) {
    const changed = readOnlyErrors(MODEL_READ_ONLY, body, current(tx, { model }) ?? { model });
    if (changed.length > 0) return invalidFields(changed);
    const { regions, effective_at, ...given } = body;
    const terms = termsOf(given);
    const before = loadModel(tx.sql, model);
    const deletedAt = before === null ? deletionOf(tx.sql, model) : -Infinity;
    const effectiveAt = effective_at === undefined ? Math.max(tx.now, deletedAt) : instantOf(effective_at);
    if (effectiveAt < deletedAt) return refuseBeforeDeletion(deletedAt);
    const there = before === null ? null : ownPriceAt(tx.sql, model, effectiveAt);
    const isSame = there?.has(terms) === true;
    const revision = isSame
      ? there
      : insertRevision(tx.sql, {
          model,
          source: "org",
          platformRevision: null,
          effectiveAt,
          createdAt: tx.now,
          terms,
        });
    const row: ModelRow = {
      model,
      regions: regionsText(regions),
      created_at: before?.created_at ?? tx.now,
      updated_at: isSame && before?.regions === regionsText(regions) ? before.updated_at : tx.now,
    };
    saveModel(tx.sql, row);
    const detail = { ...body, model, revision: revision.revision, changed: !isSame };
    return done(200, toModel(revision, row), { target: model, detail });
  },
});

/** A price that began earlier would end with the deletion, and price nothing. */
function refuseBeforeDeletion(deletedAt: number) {
  const message = `must not be before ${iso(deletedAt)}, when the price was deleted. If omitted: now`;
  return invalidField("effective_at", "out_of_range", message);
}

function regionsText(regions: readonly string[] | undefined): string | null {
  return regions === undefined ? null : JSON.stringify(regions);
}

/** The org then has no price of its own. Scheduled prices are cancelled. */
export const deleteModel = command({
  action: "model.deleted",
  changesLimits: true,
  refuses: ["not_found"],
  current,
  run(tx, { model }: { model: string }) {
    if (loadModel(tx.sql, model) === null) return refuse("not_found");
    removePrice(tx, model);
    tx.sql.exec("DELETE FROM models WHERE model = ?", model);
    return done(204, null, { target: model });
  },
});

function removePrice(tx: Tx, model: string): void {
  insertRevision(tx.sql, {
    model,
    source: "org",
    platformRevision: null,
    effectiveAt: tx.now,
    createdAt: tx.now,
    terms: null,
  });
  tx.sql.exec(
    "DELETE FROM price_revisions WHERE model = ? AND source = 'org' AND effective_at > ?",
    model,
    tx.now,
  );
  forgetPrices(tx.sql);
}
