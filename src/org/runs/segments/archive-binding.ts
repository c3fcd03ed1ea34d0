/** Where an org's archived runs are. Null: nothing is bound, so nothing is archived. */
export interface Archive {
  readonly bucket: R2Bucket | null;
  readonly orgId: string;
}

const BOUND = new WeakMap<SqlStorage, Archive>();
const NONE: Archive = { bucket: null, orgId: "" };

export function bindArchive(sql: SqlStorage, archive: Archive): void {
  BOUND.set(sql, archive);
}

export function archiveOf(sql: SqlStorage): Archive {
  return BOUND.get(sql) ?? NONE;
}
