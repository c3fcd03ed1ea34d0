import type { ViolationKind } from "./history.ts";
import type { Traffic } from "./traffic.ts";
import type { Org, World } from "./world.ts";

/** A promise that a round of calls has found broken by itself. */
export interface Finding {
  readonly kind: ViolationKind;
  readonly what: string;
}

/** What rounds find while all goes on. Each is said at once, with the time, so that nobody has to wait for the end to see it. */
export class Findings {
  readonly all: Finding[] = [];
  readonly #begunAt = performance.now();

  add(kind: ViolationKind, what: string): void {
    this.all.push({ kind, what });
    const seconds = Math.round((performance.now() - this.#begunAt) / 1000);
    console.error(`after ${seconds} s: VIOLATION ${kind}: ${what}`);
  }
}

/** What rounds of calls of one org are given. */
export interface RoundSetting {
  readonly org: Org;
  readonly world: World;
  readonly findings: Findings;
  readonly traffic: Pick<Traffic, "answers" | "isOver">;
}

/** An org whose caller does the same in each round, and knows what must be so in the end of it. */
export interface Rounds {
  round(): Promise<void>;
}

export async function roundsUntilOver(rounds: Rounds, traffic: RoundSetting["traffic"]): Promise<void> {
  while (!traffic.isOver) await rounds.round();
}
