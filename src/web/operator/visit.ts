import type { ArchiveProblem } from "../../domain/archive/frames.ts";
import type { ArchiveHead } from "../../domain/archive/lines.ts";
import type { StoredOperatorSession } from "../../platform/operator-sessions.ts";
import type { DeepHealth } from "../deep-health.ts";
import type { MetricSums } from "../metrics.ts";
import type { WriteOptions } from "../console/in-process.ts";
import type { Answer, PageRequest, PageResponse, Visit } from "../console/visit.ts";

/** The means of a page of the operator console. Its API is called as the operator. */
export interface OperatorVisit extends Visit {
  readonly region: string;
  /** All regions, with this one. */
  readonly regions: readonly string[];
  /** A file of the API, for the browser to save, or why there is none. */
  readonly download: (path: string) => Promise<Response | Answer<never>>;
  /** Sends a file to the API. */
  readonly upload: <T>(path: string, file: Uint8Array) => Promise<Answer<T>>;
  /** Tells what a backup is of, or what is wrong with it. */
  readonly backupHead: (file: Uint8Array) => Promise<ArchiveHead | ArchiveProblem>;
  /** Reads the platform's counts, as of now. Null if the counters cannot be read. */
  readonly metrics: () => Promise<MetricSums | null>;
  /** Tells whether all that the Worker depends on answers. */
  readonly health: () => Promise<DeepHealth>;
  /** Puts a resource in place of the version that was read. */
  readonly replace: (path: string, body: object, sent: WriteOptions) => Promise<Answer<unknown>>;
  readonly sessions: {
    /** The id of the one that this visit belongs to. */
    readonly own: string;
    readonly open: () => Promise<readonly StoredOperatorSession[]>;
    readonly end: (id: string) => Promise<void>;
  };
}

/** The file of a form that has one. */
export interface OperatorRequest extends PageRequest {
  readonly file: Uint8Array | null;
}

export type OperatorHandler = (
  visit: OperatorVisit,
  ask: OperatorRequest,
) => Promise<PageResponse | Response>;

export type OperatorRoute = readonly [method: "GET" | "POST", path: string, handler: OperatorHandler];
