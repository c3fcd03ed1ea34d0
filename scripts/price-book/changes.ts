import type {
  ListedModel,
  NewBookProvider,
  NewListedModel,
  PriceBook,
} from "../../src/contract/resources/price-book.ts";
import { termsOf } from "../../src/domain/price/terms.ts";
import { CATALOG, type Catalog } from "./catalog.ts";
import { bookProvider } from "./providers.ts";

/** The effect of an import on the book. */
export interface Import {
  /** The whole book afterwards. Rows of other sources stay unchanged. */
  readonly models: NewListedModel[];
  /** Those of the catalog, then the others that the book has. */
  readonly providers: NewBookProvider[];
  /** One line for each model that is added, changed or removed, and one for the providers if they change. */
  readonly changes: string[];
}

type Book = Pick<PriceBook, "models" | "providers">;

export function importInto(book: Book, catalog: Pick<Catalog, "models" | "providers">): Import {
  const { models, changes } = importModels(book.models, catalog.models);
  const known = new Set(catalog.providers.map(({ provider }) => provider));
  const providers = [...catalog.providers, ...book.providers.filter(({ provider }) => !known.has(provider))];
  const isSame =
    JSON.stringify(providers.map(bookProvider)) === JSON.stringify(book.providers.map(bookProvider));
  return { models, providers, changes: isSame ? changes : [...changes, "~ what is known of providers"] };
}

function importModels(
  before: readonly ListedModel[],
  catalog: readonly NewListedModel[],
): Pick<Import, "models" | "changes"> {
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
