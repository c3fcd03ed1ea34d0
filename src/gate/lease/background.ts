/** The methods of an org's object that the gate itself calls. The host makes all other calls. */
export interface LeaseObject {
  /** Takes a report and leases what it asks for. Null if the report came late or twice. */
  syncLeases(report: string): Promise<string | null>;
}

/** A host gives the gate this for a request: the org's object, work that outlives the response, and time. */
export interface Background {
  object(): LeaseObject;
  waitUntil(work: Promise<unknown>): void;
  now(): number;
  wait(ms: number): Promise<unknown>;
}
