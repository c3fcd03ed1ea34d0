import { RunColumns } from "../../../domain/run/segment/columns.ts";
import type { NameColumn, RunRecord } from "../../../domain/run/segment/record.ts";
import { NAME_COLUMNS } from "../../../domain/run/segment/record.ts";
import { nameKey } from "../../../domain/run/segment/names.ts";
import { COLUMNS, runOfValues, runValues } from "../../../domain/run/segment/run-values.ts";
import { encodeRowGroup } from "../../../domain/run/segment/row-group.ts";
import {
  decodeTombstones,
  encodeTombstones,
  type Tombstone,
} from "../../../domain/run/segment/tombstones.ts";
import { RollupMaker } from "../../../domain/usage-report/rollup-maker.ts";
import { ROLLUP_COLUMNS } from "../../../domain/usage-report/rollup.ts";
import { Segments } from "../../../storage/segments/segments.ts";
import { Table } from "../../../storage/table.ts";
import { TransactionalCache } from "../../../storage/transactional-cache.ts";

declare module "../../../storage/table.ts" {
  interface LoggedTables {
    runs: true;
  }
}

/** The runs of an org, as its object stores them. */
export type RunSegments = Segments<RunRecord, RunColumns, Tombstone>;

/** Lists do not filter by the others. */
const FILTERED = NAME_COLUMNS.filter((column) => column !== "charges" && column !== "tags");

/** A null name means runs without one. Any segment may have such runs. */
export function filterKeys(names: readonly (readonly [NameColumn, string | null])[]): readonly string[] {
  return names.flatMap(([column, name]) => (name === null ? [] : [nameKey(column, name)]));
}

const LAYOUT: RunSegments["layout"] = {
  name: "run",
  title: "runs of this organization",
  waiting: new Table(
    { name: "runs", columns: ["seq", ...COLUMNS], key: ["seq"], named: ["seq"], changing: [] },
    (sql, written) => runSegments(sql).store(written),
  ),
  values: runValues,
  row: runOfValues,
  encode(runs) {
    const { data, names } = encodeRowGroup(runs);
    return {
      data,
      names: () =>
        FILTERED.flatMap((column) => (names.get(column) ?? []).map((name) => nameKey(column, name))),
    };
  },
  decode: (segment) => new RunColumns(segment),
  encodeTombstones,
  decodeTombstones,
  rollupColumns: ROLLUP_COLUMNS,
  rollupMaker: () => new RollupMaker(),
};

const stores = new TransactionalCache<RunSegments>((segments) => segments.rollBack());

export function runSegments(sql: SqlStorage): RunSegments {
  return stores.get(sql, () => new Segments(sql, LAYOUT));
}
