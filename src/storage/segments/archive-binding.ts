/** Where archived segments are. Null: nothing is bound, so nothing is archived. */
export interface Archive {
  readonly bucket: R2Bucket | null;
  /** The names of its files begin with this. */
  readonly prefix: string;
}

const BOUND = new WeakMap<SqlStorage, Archive>();
const NONE: Archive = { bucket: null, prefix: "" };

export function bindArchive(sql: SqlStorage, archive: Archive): void {
  BOUND.set(sql, archive);
}

export function archiveOf(sql: SqlStorage): Archive {
  return BOUND.get(sql) ?? NONE;
}
