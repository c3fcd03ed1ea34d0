/** The rows of a statement that may find many. The runtime itself takes twice as long to make an object of each. */
export function* readRows<Row extends Record<string, SqlStorageValue>>(
  cursor: SqlStorageCursor<Row>,
): Generator<Row, void> {
  const names = cursor.columnNames;
  for (const values of cursor.raw()) {
    const row: Record<string, SqlStorageValue> = {};
    for (let at = 0; at < names.length; at += 1) row[names[at] ?? ""] = values[at] ?? null;
    yield row as Row;
  }
}
