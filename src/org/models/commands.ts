import type { ListQuery } from "../../contract/list.ts";
import type { NewModel } from "../../contract/resources/models.ts";
import { refuse } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/money.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { listRows } from "../kernel/rows.ts";
import { loadModel, type ModelRow, saveModel, toModel } from "./store.ts";

const current = (view: View, input: { model: string }) => {
  const row = loadModel(view.sql, input.model);
  return row === null ? null : toModel(row);
};

export const getModel = query({
  refuses: ["not_found"],
  run: (view, input: { model: string }) => current(view, input) ?? refuse("not_found"),
});

export const setModel = command({
  action: "model.set",
  changesLimits: true,
  refuses: [],
  current,
  run(tx, input: NewModel & { model: string }) {
    const row: ModelRow = {
      model: input.model,
      input_nanos_per_mtok: String(parseUsd(input.input_usd_per_mtok) ?? 0n),
      output_nanos_per_mtok: String(parseUsd(input.output_usd_per_mtok) ?? 0n),
      regions: input.regions === undefined ? null : JSON.stringify(input.regions),
      created_at: loadModel(tx.sql, input.model)?.created_at ?? tx.now,
      updated_at: tx.now,
    };
    saveModel(tx.sql, row);
    return done(200, toModel(row), { target: row.model, detail: { ...input } });
  },
});

export const deleteModel = command({
  action: "model.deleted",
  changesLimits: true,
  refuses: ["not_found"],
  current,
  run(tx, input: { model: string }) {
    if (loadModel(tx.sql, input.model) === null) return refuse("not_found");
    tx.sql.exec("DELETE FROM models WHERE model = ?", input.model);
    return done(204, null, { target: input.model });
  },
});

export const listModels = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      { table: "models", id: "model", sort: { model: "model", created_at: "created_at" }, toItem: toModel },
      input,
    ),
});
