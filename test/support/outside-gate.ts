import { expect } from "vitest";
import { holdLine } from "../../src/gate/report/hold-line.ts";
import { call } from "./worker.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as their callers do, by path
type Json = any;

const HOLD_MS = 900_000;
let names = 0;

interface OutsideReport {
  lines?: string[];
  want?: number;
  left?: number;
  /** What it says of the runs that the holds become when they expire. */
  charged?: { call?: object; inputs?: number[] };
  [field: string]: unknown;
}

/** A gate outside the service in a test's hands, over the wire itself: it says what it is told to say, true or not. */
export class OutsideGate {
  readonly key: string;
  readonly holder: string;
  touches: string[] = [];
  ids: string[] = [];
  keys: string[] = [];
  /** Lease keys of rate limits. */
  rates: string[] = [];
  orgNow = 0;
  #attempt = 0;
  #batch = 0;

  constructor(key: string, holder = `gate-for-tests-${(names += 1)}`) {
    this.key = key;
    this.holder = holder;
  }

  exchange(more: object): Promise<Json> {
    const body = { version: 1, holder: this.holder, ...more };
    return call("POST", "/v1/edge/leases", { key: this.key, body });
  }

  /** Learns what calls like this one touch. */
  async learn(ask: object = { estimate: { cost_usd: "0.01" } }): Promise<Json> {
    const { status, body } = await this.exchange({ ask: { dry_run: true, ...ask }, learn: true, ids: 20 });
    expect(status).toBe(200);
    const { touch, orgNow } = body.verdict;
    this.touches = [touch];
    this.ids.push(...body.ids);
    this.orgNow = orgNow;
    const said = JSON.parse(atob(touch.split(".")[0].replaceAll("-", "+").replaceAll("_", "/")));
    this.keys = said.keys;
    this.rates = [...said.requests, ...said.tokens, ...said.dollars];
    return body;
  }

  /** Reports these lines in a batch of their own, and asks for slices that are worth so much. */
  async report({ lines = [], want = 0, left = 0, charged = {}, ...more }: OutsideReport = {}): Promise<Json> {
    this.#attempt += 1;
    if (lines.length > 0) this.#batch += 1;
    const batches =
      lines.length === 0 ? [] : [{ number: this.#batch, holds: [{ touch: 0, lines, ...charged }] }];
    const amounts = { left: String(left), want: String(want), least: String(Math.ceil(want / 8)) };
    const wants = want + left === 0 ? [] : this.keys.map((key) => ({ key, ...amounts }));
    const report = { attempt: this.#attempt, touches: this.touches, batches, wants, watch: [], ...more };
    return this.exchange({ report });
  }

  /** What the service added to its first slice. */
  async lease(want: number): Promise<number> {
    const { body } = await this.report({ want });
    return Number(body.leases.slices[0]?.[1] ?? 0);
  }

  line(nanos: number, { id = this.ids.shift() ?? "", at = this.orgNow, heldMs = HOLD_MS } = {}): string {
    return holdLine({ id, at, expiresAt: at + heldMs, nanos });
  }
}
