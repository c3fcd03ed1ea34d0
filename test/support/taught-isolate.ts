import { type Meter, NO_USAGE, windowOf } from "../../src/domain/meter/meter.ts";
import type { Judge } from "../../src/gate/snapshot/caller.ts";
import { NO_REQUESTS } from "../../src/gate/decision/recent-reservations.ts";
import * as gate from "../../src/gate/index.ts";
import type { DecisionPlan } from "../../src/gate/snapshot/decision-plan.ts";
import { readAsk, writeReply } from "../../src/gate/lease/wire.ts";

interface Taught {
  readonly start: number;
  readonly meters: readonly Meter[];
  readonly decisionPlan: Partial<DecisionPlan>;
  /** What it learned from, and what it wishes slices for. */
  readonly learned: gate.DecisionAsk;
  readonly wished: gate.DecisionAsk;
  /** The slice of each meter, by what is wanted. */
  readonly granted: (want: bigint) => { readonly add: bigint; readonly share: bigint };
  readonly judge?: Judge | null;
  /** The org's default. */
  readonly onExpiry?: "charge" | "release";
}

/** The gate of an isolate that was told all about an ask, and has slices of its limits. */
export async function taughtIsolate(taught: Taught) {
  const { start, learned, wished } = taught;
  const background: gate.Background = {
    object: () => ({
      syncLeases: async (report) => {
        const { ask } = readAsk(report);
        const slices = new Map(
          Array.from(
            ask.wants,
            ([key, { want }]) => [key, { forMs: 1000, ...taught.granted(want) }] as const,
          ),
        );
        return writeReply({
          grant: { attempt: ask.attempt, slices },
          rates: [],
          usage: [],
          orgNow: start,
          version: "1",
          requests: NO_REQUESTS,
          refusals: 0,
        });
      },
    }),
    waitUntil: (work) => void work,
    now: () => start,
    wait: () => new Promise(() => undefined),
  };
  const org = new gate.Gates(() => "isolate").of("org_A");
  if (org === null) throw new Error("no gate");
  const { onExpiry = "release" } = taught;
  const caller = gate.newGateCaller(
    { id: "org_A", rates: { policies: [] }, checks: "limits", onExpiry },
    "key_A",
    "p".repeat(32),
    taught.judge,
  );
  const accounts = taught.meters.map((meter) => ({
    meter,
    subject: "",
    window: windowOf(meter, start),
    usage: NO_USAGE,
  }));
  const matters = { department: [], workflow: [], deployment: [], customer: false };
  const decisionPlan = { accounts, matters, ceiling: null, ...taught.decisionPlan };
  const verdict = {
    refusal: null,
    text: "",
    rates: [],
    decisionPlan,
    orgNow: start,
    version: "1",
  };
  for (let call = 0; call < 8; call += 1) {
    gate.installPlan(org, caller, learned, { verdict, askedAt: start, now: start });
    gate.wish(org, caller, wished, { now: start, background });
  }
  await org.flush(background);
  const decide = (ask: gate.DecisionAsk, laterMs = 1) =>
    gate.decideHere(org, caller, ask, { now: start + laterMs, background });
  return { org, decide };
}
