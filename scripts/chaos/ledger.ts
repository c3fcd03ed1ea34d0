import type { Allow, Forbidden, LimitChange, OrgHistory, SentRun, Stored } from "./history.ts";

/** What callers of one org did and were told, as it happens. */
export class Ledger {
  readonly runs = new Map<string, SentRun>();
  readonly allows = new Map<string, Allow>();
  readonly limits: LimitChange[] = [];
  readonly forbidden: Forbidden[] = [];
  /** Calls that a limit refused. */
  limited = 0;
  /** Of calls whose answer never came, and whose reservation is charged if there is one. */
  readonly unheardNanos: number[] = [];

  /** Before it is sent: what is stored must have been sent by somebody. */
  sends(id: string, nanos: number, reservation: string | null = null): void {
    this.runs.set(id, { id, nanos, reservation, isAcknowledged: false });
  }

  acknowledged(id: string): void {
    const run = this.runs.get(id);
    if (run === undefined) throw new Error(`nobody sent ${id}`);
    run.isAcknowledged = true;
    this.ended(run.reservation, "settled");
  }

  allowed(allow: Allow): void {
    if (!this.allows.has(allow.reservation)) this.allows.set(allow.reservation, allow);
  }

  ended(reservation: string | null, end: Allow["end"]): void {
    const allow = this.allows.get(reservation ?? "");
    if (allow !== undefined) allow.end = end;
  }

  history(name: string, onlyGrows: boolean, stored: Stored): OrgHistory {
    return {
      name,
      onlyGrows,
      stored,
      runs: [...this.runs.values()],
      allows: [...this.allows.values()],
      limits: this.limits,
      forbidden: this.forbidden,
      limited: this.limited,
      unheardNanos: this.unheardNanos,
    };
  }
}
