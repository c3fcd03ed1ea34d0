import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const priceBook = sqliteTable("price_book", {
  revision: integer("revision").primaryKey(),
  createdAt: integer("created_at").notNull(),
  /** The facts about providers, as JSON. */
  providers: text("providers").notNull().default("[]"),
});

export const priceBookPrices = sqliteTable(
  "price_book_prices",
  {
    model: text("model").notNull(),
    revision: integer("revision").notNull(),
    price: text("price"),
  },
  (table) => [primaryKey({ columns: [table.model, table.revision] })],
);

export const priceBookReaders = sqliteTable("price_book_readers", {
  orgId: text("org_id").primaryKey(),
});
