import type { GateAnswer, GateBinding } from "../../src/client/gate/binding.ts";
import type { FallbackRule } from "../../src/client/generated/types.ts";
import type { Refusal } from "../../src/contract/refusal.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- what was asked and reported is checked by the test
type Json = Record<string, any>;

export const SMALL_KEY = `svc_test_${"0".repeat(26)}${"1".repeat(26)}_secret`;

/**
 * The service as far as a gate needs it, in memory: it decides as it is told to, and keeps what was reserved, reported and given
 * back, so that a test can add it up.
 */
export class SmallService implements GateBinding {
  rules: readonly FallbackRule[] = [];
  /** The names that limits of the org count by. */
  countedBy: readonly string[] = [];
  /** Null: allowed. */
  judge: (ask: Json) => Refusal | null = () => null;
  readonly asks: Json[] = [];
  readonly questions: Json[] = [];
  readonly runs: Json[] = [];
  readonly open = new Set<string>();
  readonly keys = new Map<string, object>();
  fallbacksFail = false;
  releaseFails = false;

  async leases(_: string, exchange: object): Promise<GateAnswer> {
    const { ask } = exchange as { ask?: Json };
    return answer(200, {
      version: 1,
      valid_ms: 2000,
      checks: "limits",
      on_expiry: "charge",
      counted_by: this.countedBy,
      scans_input: false,
      ...(this.rules.length === 0
        ? {}
        : {
            fallbacks: {
              version: JSON.stringify(this.rules),
              by: ["model", "workflow_id"],
              shares: this.rules.some(({ begins }) => begins),
            },
          }),
      ids: [],
      refused: [],
      verdict: ask === undefined ? null : this.#verdict(ask),
      leases: null,
    });
  }

  async fallbacks(_: string, question: object): Promise<GateAnswer> {
    this.questions.push(question);
    return this.fallbacksFail ? answer(503, {}) : answer(200, { rules: this.rules });
  }

  async settle(_: string, runs: readonly object[]): Promise<GateAnswer> {
    const results = (runs as Json[]).map((run, index) => {
      this.open.delete(run["reservation_id"] as string);
      this.runs.push(run);
      return { index, id: run["id"] as string, status: "accepted" };
    });
    return answer(200, { accepted: results.length, duplicates: 0, rejected: 0, results });
  }

  async release(_: string, reservation: string): Promise<GateAnswer> {
    if (this.releaseFails) return answer(503, {});
    this.open.delete(reservation);
    return { status: 204, headers: {}, text: "" };
  }

  async providerKey(_: string, name: string): Promise<GateAnswer> {
    const key = this.keys.get(name);
    return key === undefined ? answer(404, {}) : answer(200, key);
  }

  decide(): never {
    throw new Error("a gate asks with an exchange");
  }

  renew(): never {
    throw new Error("nothing is renewed");
  }

  #verdict(ask: Json): Json {
    this.asks.push(ask);
    const refusal = this.judge(ask);
    const rest = {
      rates: [],
      orgNow: Date.now(),
      decisionPlan: null,
      touch: null,
      policies: [],
      version: "1",
    };
    if (refusal !== null) return { ...rest, refusal, text: null };
    const id = `rsv_${crypto.randomUUID()}`;
    this.open.add(id);
    const reservation = { id, amount_usd: "1.00", expires_at: new Date(Date.now() + 900_000).toISOString() };
    const text = JSON.stringify({ decision: "allow", decision_id: "dec_1", reservation, limits: [] });
    return { ...rest, refusal: null, text };
  }
}

function answer(status: number, body: object): GateAnswer {
  return { status, headers: {}, text: JSON.stringify(body) };
}
