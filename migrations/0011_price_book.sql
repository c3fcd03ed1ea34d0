-- The platform's own prices: a row for each price that a revision changed, no row text where it took one away.
CREATE TABLE price_book (
  revision INTEGER PRIMARY KEY NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE price_book_prices (
  model TEXT NOT NULL,
  revision INTEGER NOT NULL,
  price TEXT,
  PRIMARY KEY (model, revision)
);

-- What the models in the latest revision are found by.
CREATE TABLE price_book_names (
  name TEXT PRIMARY KEY NOT NULL,
  model TEXT NOT NULL
);

-- Orgs whose objects keep prices of the book: they are told when it changes.
CREATE TABLE price_book_readers (
  org_id TEXT PRIMARY KEY NOT NULL
);
