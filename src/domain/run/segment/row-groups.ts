import { ByteReader } from "../../bytes/byte-reader.ts";
import { END } from "./row-group.ts";

/** Runs that were written together, by the numbers of their columns. */
export interface RowGroup {
  readonly count: number;
  readonly columns: ReadonlyMap<number, Uint8Array>;
}

/** The row groups of a segment. Nothing in them is decoded. */
export function rowGroupsOf(bytes: Uint8Array): RowGroup[] {
  const reader = new ByteReader(bytes);
  const rowGroups: RowGroup[] = [];
  while (!reader.isAtEnd) rowGroups.push(readRowGroup(reader));
  return rowGroups;
}

function readRowGroup(reader: ByteReader): RowGroup {
  const count = reader.count();
  const columns = new Map<number, Uint8Array>();
  for (let column = reader.byte(); column !== END; column = reader.byte()) {
    columns.set(column, reader.part(reader.count()));
  }
  return { count, columns };
}
