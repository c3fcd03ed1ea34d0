import type { ListedModel, NewListedModel } from "../../src/contract/resources/price-book.ts";
import { termsOf } from "../../src/domain/price/terms.ts";
import { CATALOG } from "./catalog.ts";

/** The effect of an import on the book. */
export interface Import {
  /** The whole book afterwards. Rows of other sources stay unchanged. */
  readonly models: NewListedModel[];
  /** One line for each model that is added, changed or removed. */
  readonly changes: string[];
}

export function importInto(before: readonly ListedModel[], catalog: readonly NewListedModel[]): Import {
  const kept = before.filter(({ source }) => source !== CATALOG);
  const own = new Set(kept.map(({ model }) => model));
  const imported = catalog.filter(({ model }) => !own.has(model));
  const left = new Map(before.filter(({ source }) => source === CATALOG).map((row) => [row.model, row]));
  const changes: string[] = [];
  for (const row of imported) {
    const there = left.get(row.model);
    left.delete(row.model);
    const line = changeOf(there, listed(row));
    if (line !== null) changes.push(line);
  }
  for (const model of left.keys()) changes.push(`- ${model}`);
  return { models: [...imported, ...kept.map(written)], changes };
}

/** As the server stores and shows it. */
function listed({ model, aliases = [], source, ...terms }: NewListedModel): ListedModel {
  return { model, aliases: [...aliases].sort(), source: source ?? null, ...termsOf(terms) };
}

/** As the server accepts it: without null values. */
function written(row: ListedModel): NewListedModel {
  return JSON.parse(
    JSON.stringify(row, (_key, value: unknown) => (value === null ? undefined : value)),
  ) as NewListedModel;
}

function changeOf(before: ListedModel | undefined, after: ListedModel): string | null {
  const { input_usd_per_mtok: input, output_usd_per_mtok: output } = after;
  if (before === undefined) return `+ ${after.model}: input ${input}, output ${output}`;
  const fields = (Object.keys(after) as (keyof ListedModel)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (fields.length === 0) return null;
  const parts = fields.map((field) => `${field} ${text(before[field])} -> ${text(after[field])}`);
  return `~ ${after.model}: ${parts.join(", ")}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
