import type { DecisionAsk } from "../../gate/decision/ask.ts";
import type { DecisionPlan } from "../../gate/snapshot/decision-plan.ts";
import { accountKey } from "../../gate/decision/account-key.ts";
import { leaseKey, rateMetersFor, type RatePolicy } from "../../domain/rate/policy.ts";
import type { EdgeLeasesExchangeBody } from "../generated/types.ts";
import type { CallLine } from "../../gate/report/call-line.ts";
import { inputTokensOf, type HoldLine, withoutInput } from "../../gate/report/hold-line.ts";
import { refusedCalls } from "../../gate/report/refused-calls.ts";
import { readAsk } from "../../gate/lease/wire.ts";

type WireReport = NonNullable<EdgeLeasesExchangeBody["report"]>;

/** As many limits as a gate has slices of. */
const MOST = 20_000;
const ENTRY_BYTES = 150;

/** The limits that decisions of one kind touch, as the service said. */
export interface PlannedLimits {
  readonly touch: string;
  readonly decisionPlan: DecisionPlan;
  readonly policies: readonly RatePolicy[];
  readonly orgNow: number;
}

/** The signed limit sets of the service, by the limits in them: a report goes out with those that it is about, unchanged. */
export class LimitSetTokens {
  readonly #byLimit = new Map<string, string>();
  #characters = 0;

  get bytes(): number {
    return this.#characters + this.#byLimit.size * ENTRY_BYTES;
  }

  set(ask: DecisionAsk, asking: { route: string; keyId: string }, planned: PlannedLimits): void {
    const { touch, decisionPlan, policies, orgNow } = planned;
    const keys = decisionPlan.accounts.map(accountKey);
    const subject = { ...asking, names: ask };
    const meters = rateMetersFor(policies, subject);
    for (const key of [...keys, ...meters.map((meter) => leaseKey(meter, orgNow))]) {
      this.#put(key, touch);
    }
  }

  /** The latest stay. */
  #put(key: string, token: string): void {
    this.#delete(key);
    this.#byLimit.set(key, token);
    this.#characters += token.length;
    const [oldest] = this.#byLimit.keys();
    if (this.#byLimit.size > MOST && oldest !== undefined) this.#delete(oldest);
  }

  #delete(key: string): void {
    this.#characters -= this.#byLimit.get(key)?.length ?? 0;
    this.#byLimit.delete(key);
  }

  /** A report of the gate's as the service takes it from outside. */
  reportOf(text: string): WireReport {
    const { ask, touches, watch, refusals } = readAsk(text);
    const sent = new Map<string, number>();
    const indexOf = (token: string): number => {
      const known = sent.get(token) ?? sent.size;
      sent.set(token, known);
      return known;
    };
    const batches = ask.batches.map(({ number, holds }) => ({
      number,
      holds: holds.flatMap(([index, named, unnamed, , call]) => {
        const token = touches[index]?.mark;
        if (token === undefined) return [];
        return [{ touch: indexOf(token), ...heldLines([...named, ...unnamed], call) }];
      }),
    }));
    const wants = Array.from(ask.wants, ([key, { left, want, least }]) => {
      const token = this.#byLimit.get(key);
      // Without it the gate gets no more, and gives back what it says.
      if (token !== undefined) indexOf(token);
      return { key, left: String(left), want: String(want), least: String(least) };
    });
    const watched = watch.filter((key) => {
      const token = this.#byLimit.get(key);
      if (token !== undefined) indexOf(token);
      return token !== undefined;
    });
    const { attempt, renews } = ask;
    const report = {
      ...(renews === undefined ? {} : { renews }),
      attempt,
      touches: [...sent.keys()],
      batches,
      wants,
      watch: watched,
    };
    return refusals === null ? report : { ...report, refusals: refusedCalls(refusals) };
  }
}

type HeldLines = Omit<WireReport["batches"][number]["holds"][number], "touch">;

/** The service knows whose call it is. */
function heldLines(lines: readonly HoldLine[], call: CallLine | undefined): HeldLines {
  if (call === undefined) return { lines };
  const { keyId: _key, ...said } = call;
  return { lines: lines.map(withoutInput), call: said, inputs: lines.map(inputTokensOf) };
}
