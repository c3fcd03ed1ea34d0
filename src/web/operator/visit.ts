import type { Ask, Shown, Visit } from "../console/visit.ts";

/** What a page of the operator console can use. Its API is called as the operator. */
export interface OperatorVisit extends Visit {
  readonly region: string;
  /** What a path of this Worker answers, as text. Null: it did not answer with 200. */
  readonly read: (path: string) => Promise<string | null>;
}

export type OperatorHandler = (visit: OperatorVisit, ask: Ask) => Promise<Shown>;

export type OperatorRoute = readonly [method: "GET" | "POST", path: string, handler: OperatorHandler];
