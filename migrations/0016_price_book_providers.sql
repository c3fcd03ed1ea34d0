-- What a revision knows of providers, as JSON.
ALTER TABLE price_book ADD COLUMN providers TEXT DEFAULT '[]' NOT NULL;

-- Names are found by the rows themselves, which whoever reads the book keeps in memory.
DROP TABLE price_book_names;
