import { fromExactJson } from "../../domain/text/exact-json.ts";
import type { RatePolicy } from "../../domain/rate/policy.ts";
import type { DecisionVerdict } from "../../gate/decision/object-verdict.ts";
import type { DecisionsDecideBody, EdgeLeasesExchangeBody, LeaseReply } from "../generated/types.ts";
import { Unreachable } from "../errors.ts";
import type { Sluice } from "../sluice.ts";
import type { OrgFacts } from "./org-facts.ts";

/** The service's answer to an ask, and what the gate may learn from it. */
export interface ExchangedVerdict extends DecisionVerdict {
  readonly touch: string | null;
  readonly policies: readonly RatePolicy[];
}

export interface ExchangeReply {
  /** Names the exchange in the service's log. A refusal in it is kept under the same trace. */
  readonly trace: string | null;
  readonly validMs: number;
  readonly facts: OrgFacts;
  readonly onExpiry: LeaseReply["on_expiry"];
  readonly ids: readonly string[];
  readonly refused: readonly string[];
  readonly verdict: ExchangedVerdict | null;
  /** As the gate reads it; null if the report came late or twice. */
  readonly leases: string | null;
}

export interface Exchange {
  readonly ask?: DecisionsDecideBody;
  /** The header of the call that is asked for. */
  readonly traceparent?: string | undefined;
  readonly learn?: boolean;
  readonly report?: EdgeLeasesExchangeBody["report"];
  readonly ids: number;
  readonly ungoverned?: EdgeLeasesExchangeBody["ungoverned"];
  readonly unsettled?: EdgeLeasesExchangeBody["unsettled"];
}

/** After a pause of the machine, each connection that was kept may have been ended. */
const MOST_BROKEN = 3;

interface ExchangingGate {
  readonly holder: string;
  /** How long the exchange may take, over however many connections. */
  readonly timeoutMs: number;
}

/** One exchange with the service. */
export async function exchange(
  sluice: Sluice,
  { holder, timeoutMs }: ExchangingGate,
  given: Exchange,
): Promise<ExchangeReply> {
  const { ask, ...rest } = given;
  // Named, so that a decision whose answer is lost is the same decision when it is asked again.
  const named =
    ask === undefined ? {} : { ask: { ...ask, request_id: ask.request_id ?? crypto.randomUUID() } };
  const body = { version: 1 as const, holder, ...rest, ...named };
  const { data: reply, response } = await onLastingConnection(timeoutMs, (leftMs) =>
    sluice.edgeLeases.exchange(body, { maxRetries: 0, timeoutMs: leftMs }).withResponse(),
  );
  return {
    trace: response.headers.get("x-svc-trace-id"),
    validMs: reply.valid_ms,
    facts: {
      checks: reply.checks,
      countedBy: new Set(reply.counted_by),
      scansInput: reply.scans_input,
      sendsSpans: reply.sends_spans === true,
      fallbacks: reply.fallbacks ?? null,
    },
    onExpiry: reply.on_expiry,
    ids: reply.ids,
    refused: reply.refused,
    verdict:
      reply.verdict === null ? null : (fromExactJson(JSON.stringify(reply.verdict)) as ExchangedVerdict),
    leases: reply.leases === null ? null : JSON.stringify(reply.leases),
  };
}

/** Sends what counts once, again where its connection broke. Runtimes throw different errors for that. */
async function onLastingConnection<T>(timeoutMs: number, send: (leftMs: number) => Promise<T>): Promise<T> {
  const until = performance.now() + timeoutMs;
  let leftMs = timeoutMs;
  for (let broken = 0; ; broken += 1) {
    try {
      return await send(leftMs);
    } catch (error) {
      const isLost = error instanceof Unreachable && error.isConnectionLost;
      leftMs = until - performance.now();
      if (!isLost || broken === MOST_BROKEN || leftMs <= 0) throw error;
      // Others that the service has ended leave the pool in their turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
}
