import { type Caller, Over } from "./caller.ts";
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
  /** How many rounds of each org came to their end. */
  readonly rounds = new Map<string, number>();
  readonly #begunAt = performance.now();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void = console.error) {
    this.#say = say;
  }

  add(kind: ViolationKind, what: string): void {
    this.all.push({ kind, what });
    const seconds = Math.round((performance.now() - this.#begunAt) / 1000);
    this.#say(`after ${seconds} s: VIOLATION ${kind}: ${what}`);
  }
}

/** What rounds of calls of one org are given. */
export interface RoundSetting {
  readonly org: Org;
  readonly world: World;
  readonly findings: Findings;
  readonly traffic: Pick<Traffic, "answers" | "isOver">;
  /** The org's and the service's, until the time for rounds is over. */
  readonly caller: Caller;
  readonly operator: Caller;
}

export function roundSetting(
  given: Pick<RoundSetting, "org" | "world" | "findings" | "traffic">,
): RoundSetting {
  const until = { isOver: () => given.traffic.isOver };
  return {
    ...given,
    caller: given.org.caller.during(until),
    operator: given.world.operator.during(until),
  };
}

/** An org whose caller does the same in each round, and knows what must be so in the end of it. */
export interface Rounds {
  readonly name: string;
  /** Once. */
  open(): Promise<void>;
  round(): Promise<void>;
}

/** One after the other, with a pause after the first. An answer that cannot be read ends them, and is found by that. */
export async function roundsUntilOver(
  rounds: Rounds,
  { traffic, findings }: Pick<RoundSetting, "traffic" | "findings">,
  pause: () => Promise<void>,
): Promise<void> {
  const round = async () => {
    await rounds.round();
    findings.rounds.set(rounds.name, (findings.rounds.get(rounds.name) ?? 0) + 1);
  };
  try {
    await rounds.open();
    await round();
    await pause();
    while (!traffic.isOver) await round();
  } catch (error) {
    if (error instanceof Over) return;
    if (!(error instanceof TypeError)) throw error;
    findings.add("unpromised answer", `a round of the org ${rounds.name} ended with ${String(error)}`);
  }
}
