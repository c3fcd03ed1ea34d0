/** What the gate asks of an org's object by itself; the host brings all else that the object says. */
export interface LeaseObject {
  /** Takes a report and leases what it asks for; null where the report came late or twice. */
  syncLeases(report: string): Promise<string | null>;
}

/** What a host lends the gate for a request: the org's object, work that outlives the answer, and time. */
export interface Background {
  object(): LeaseObject;
  waitUntil(work: Promise<unknown>): void;
  now(): number;
  wait(ms: number): Promise<unknown>;
}
