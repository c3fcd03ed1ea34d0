import type { BookProvider } from "../../contract/resources/price-book.ts";
import { Providers } from "../../domain/price/providers.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { insertRow } from "../../storage/rows.ts";

/** The platform's book as this org last read it: its revision, and the providers that it knows. */
export interface KeptBook {
  /** Null if the book was never read. */
  readonly revision: number | null;
  readonly providers: Providers;
}

const copies = new TransactionalCache<KeptBook>();

export function providersOf(sql: SqlStorage): KeptBook {
  return copies.get(sql, () => {
    const [row] = sql
      .exec<{ revision: number; providers: string }>("SELECT revision, providers FROM platform_book")
      .toArray();
    const given = row === undefined ? [] : (JSON.parse(row.providers) as BookProvider[]);
    return { revision: row?.revision ?? null, providers: new Providers(given, []) };
  });
}

export function keepBook(sql: SqlStorage, revision: number, providers: readonly BookProvider[]): void {
  sql.exec("DELETE FROM platform_book");
  insertRow(sql, "platform_book", { revision, providers: JSON.stringify(providers) });
  copies.forget(sql);
}
