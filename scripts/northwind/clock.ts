import { seedCall, type Seeder } from "../seeding/call.ts";

/** A request here makes the Worker ask for the time. */
export const ASK_PATH = "/northwind-clock";

export interface ClockReading {
  /** 0: the Worker goes by the real time from now on, and asks no more. */
  readonly behindMs: number;
  /** The org whose due work is done at the end. */
  readonly orgId: string | null;
}

/** The clock of a Worker on this machine that starts in the past. */
export class PastClock {
  #behindMs: number;
  #orgId: string | null = null;

  constructor(startsAtMs: number) {
    this.#behindMs = behind(startsAtMs);
  }

  read(): ClockReading {
    return { behindMs: this.#behindMs, orgId: this.#orgId };
  }

  /** Never back. */
  async moveTo(atMs: number, seeder: Seeder): Promise<void> {
    this.#behindMs = Math.min(this.#behindMs, behind(atMs));
    await seedCall(seeder, { method: "GET", path: ASK_PATH });
  }

  /** From now on it is the real one, and what became due in the org is done. */
  async catchUp(orgId: string, seeder: Seeder): Promise<void> {
    this.#behindMs = 0;
    this.#orgId = orgId;
    await seedCall(seeder, { method: "GET", path: ASK_PATH });
  }
}

/** Above 0, which would be the end. */
const behind = (atMs: number): number => Math.max(1, Date.now() - atMs);
