import { DIMENSIONS, type MatchDimension } from "../../contract/dimensions.ts";
import { RUNS_LOOKED_AT, type UsageNames } from "../../contract/resources/usage/usage-names.ts";
import { matchRank } from "../../domain/text/match-rank.ts";
import { STATE } from "../../storage/segments/metadata.ts";
import { query } from "../kernel/door.ts";
import { runSegments } from "../runs/segments/segments.ts";

interface NamesAsk {
  readonly by: MatchDimension;
  /** A part of the names. Empty: every name. */
  readonly contains: string;
  readonly limit: number;
}

/** Runs can have so much metadata that fewer are looked at. */
const MOST_BYTES = 4_194_304;

/** A segment stores its names apart from its runs, so no run is read. */
export const listUsageNames = query({
  refuses: [],
  run({ sql }, { by, contains, limit }: NamesAsk): UsageNames {
    const column = DIMENSIONS.find(({ name }) => name === by)?.property;
    if (column === undefined) throw new Error(`no column for ${by}`);
    const store = runSegments(sql);
    const ranks = new Map<string, number>();
    let [runs, bytes] = [0, 0];
    for (const segment of store.heldLatestFirst()) {
      if (runs >= RUNS_LOOKED_AT || bytes >= MOST_BYTES || segment.state === STATE.archived) break;
      runs += segment.rows;
      bytes += segment.bytes;
      for (const name of store.columns(segment).distinctNames(column).toReversed()) {
        const rank = matchRank(name, contains);
        if (rank !== null) ranks.set(name, rank);
      }
    }
    const names = [...ranks].toSorted(([, rank], [, other]) => rank - other).slice(0, limit);
    return { by, runs, data: names.map(([name]) => ({ name })) };
  },
});
