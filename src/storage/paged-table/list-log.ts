import { encodeCursor, type ListQuery, type Page } from "../../contract/list.ts";
import { ROWS_SEEN } from "../scan-bounds.ts";
import type { LogRow } from "./log-layout.ts";
import type { StoredLog } from "./stored-log.ts";

interface LogSource<R extends LogRow & { readonly id: string }, Item> {
  readonly log: StoredLog<R>;
  /** Filter, as callers name it → whether a row has its value. */
  readonly filters: Readonly<Record<string, (row: R, value: string) => boolean>>;
  readonly toItem: (row: R) => Item;
}

/**
 * One page of a log, in the order of writing: the rows after the last one seen. Rows that are written in between cause
 * no repeats and no gaps. A page with filters looks at a bounded number of rows, and says where to continue.
 */
export function listLog<R extends LogRow & { readonly id: string }, Item>(
  { log, filters, toItem }: LogSource<R, Item>,
  query: ListQuery,
): Page<Item> {
  const { descending } = query.sort;
  const wanted = Object.entries(query.filters).map(([name, value]) => {
    const has = filters[name];
    if (has === undefined) throw new Error(`no condition for filter ${name}`);
    return (row: R) => has(row, value);
  });
  const data: Item[] = [];
  let [seen, last]: [number, R | null] = [0, null];
  for (const row of within(log, query)) {
    if (wanted.length > 0 && seen === ROWS_SEEN) {
      // Ids are printable, so every one sorts after the empty text and before this one.
      const next = { value: row.seq, id: descending ? "\u007f" : "" };
      return { data, next_cursor: encodeCursor(query, next) };
    }
    seen += 1;
    if (!isBeyond(row, query) || !wanted.every((isWanted) => isWanted(row))) continue;
    if (last !== null && data.length === query.limit) {
      return { data, next_cursor: encodeCursor(query, { value: last.seq, id: last.id }) };
    }
    data.push(toItem(row));
    last = row;
  }
  return { data, next_cursor: null };
}

/** The rows from the cursor on. Where they are asked for by time, those that may be of that time. */
function* within<R extends LogRow>(log: StoredLog<R>, { filters, sort, after }: ListQuery): Generator<R> {
  const { first, end } = log.range({
    ...(filters["from"] === undefined ? {} : { from: Number(filters["from"]) }),
    ...(filters["to"] === undefined ? {} : { to: Number(filters["to"]) }),
  });
  const cursor = after === null ? null : Number(after.value);
  if (sort.descending) {
    for (const row of log.upTo(Math.min(end - 1, cursor ?? end - 1))) {
      if (row.seq < first) return;
      yield row;
    }
  } else {
    for (const row of log.after(Math.max(first, cursor ?? first) - 1)) {
      if (row.seq >= end) return;
      yield row;
    }
  }
}

function isBeyond({ seq, id }: LogRow & { readonly id: string }, { sort, after }: ListQuery): boolean {
  if (after === null || seq !== Number(after.value)) return true;
  return sort.descending ? id < after.id : id > after.id;
}
