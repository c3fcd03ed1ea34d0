import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../kernel/rows.ts";
import { modelAt } from "./store.ts";

export { listPrices } from "./history.ts";

export const getModel = query({
  refuses: ["not_found"],
  models: ({ model }: { model: string }) => [model],
  run: (view, input: { model: string }) => modelAt(view.sql, input.model, view.now) ?? refuse("not_found"),
});

export const listModels = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "priced_models",
        id: "model",
        sort: { model: "model", created_at: "created_at" },
        toItem: ({ model }: { model: string; created_at: number }) =>
          modelAt(view.sql, model, view.now) ?? unpriced(model),
      },
      input,
    ),
});

function unpriced(model: string): never {
  throw new Error(`${model} is in the price book without a price`);
}
