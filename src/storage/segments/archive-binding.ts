/** Where archived segments are. Null if nothing is bound, so nothing is archived. */
export interface Archive {
  readonly bucket: R2Bucket | null;
  /** The names of its files begin with this. */
  readonly prefix: string;
  /** Called when a file cannot be read or written, for whoever runs the service. */
  readonly failed?: (failure: FailedFile) => void;
}

/** `unavailable`: the bucket did not answer. */
export type ArchiveFailure =
  | "no_bucket"
  | "missing"
  | "wrong_size"
  | "damaged"
  | "unavailable"
  | "not_written";

export interface FailedFile {
  readonly reason: ArchiveFailure;
  readonly file: string;
  /** In words, for the log. */
  readonly why: string;
}

const BOUND = new WeakMap<SqlStorage, Archive>();
const NONE: Archive = { bucket: null, prefix: "" };

export function bindArchive(sql: SqlStorage, archive: Archive): void {
  BOUND.set(sql, archive);
}

export function archiveOf(sql: SqlStorage): Archive {
  return BOUND.get(sql) ?? NONE;
}
