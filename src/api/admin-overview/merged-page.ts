import { encodeCursor, type ListQuery } from "../../contract/list.ts";
import type { OverviewEntry } from "../../contract/resources/admin-overview.ts";
import type { RankedEntry } from "../../platform/overview.ts";

export interface OverviewPage {
  readonly data: OverviewEntry[];
  readonly next_cursor: string | null;
}

/** One page over the pages of all regions, each sorted the same way and one entry longer than the page. */
export function mergePages(query: ListQuery, parts: readonly (readonly RankedEntry[])[]): OverviewPage {
  const sign = query.sort.descending ? -1 : 1;
  const all = parts
    .flat()
    .toSorted((a, b) => sign * (compared(a.rank, b.rank) || compared(a.entry.org_id, b.entry.org_id)));
  const page = all.slice(0, query.limit);
  const last = all.length > query.limit ? page.at(-1) : undefined;
  return {
    data: page.map(({ entry }) => entry),
    next_cursor: last === undefined ? null : encodeCursor(query, { value: last.rank, id: last.entry.org_id }),
  };
}

function compared(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
