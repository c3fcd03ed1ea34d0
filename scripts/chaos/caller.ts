import { setTimeout as sleep } from "node:timers/promises";
import { Bound } from "./in-time.ts";
import { Pace } from "./pace.ts";

/** A careful client: it sends the same again until it is answered, to one address after the other. */

export type Body = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly body: Body;
  /** Where a decision was made. */
  readonly decided: string | null;
}

/** A region that was killed is back by then. */
const MOST_SECONDS = 120;
/** One after the other. A disk that is full for a while fails fewer. */
const MOST_FAILURES = 200;
const PAUSE_MS = 20;
const PATIENCE_MS = 10_000;

interface CallerOptions {
  readonly isOver: () => boolean;
  /** How long an answer is waited for, on a machine that is not busy. */
  readonly patienceMs: number;
  readonly pace: Pace;
}

type Call = readonly [method: string, path: string, body?: object, idempotencyKey?: string];

/** Thrown to whoever still calls when the time for it is over. */
export class Over extends Error {}

/** Calls that have no answer yet, whoever makes them. */
const UNANSWERED = new Set<{ readonly what: string }>();

export const unanswered = (): string[] => [...new Set(Array.from(UNANSWERED, ({ what }) => what))];

export class Caller {
  readonly #urls: readonly [string, ...string[]];
  readonly #key: string;
  readonly #options: CallerOptions;
  #turn = 0;

  constructor(urls: readonly [string, ...string[]], key: string, more: Partial<CallerOptions> = {}) {
    this.#urls = urls;
    this.#key = key;
    this.#options = { isOver: () => false, patienceMs: PATIENCE_MS, pace: new Pace(), ...more };
  }

  /** The same addresses with another key. */
  as(key: string): Caller {
    return new Caller(this.#urls, key, this.#options);
  }

  /** The same for calls that nobody needs once something is over. They end by `Over`, also in the middle of their attempts. */
  during({ isOver }: { readonly isOver: () => boolean }): Caller {
    return new Caller(this.#urls, this.#key, { ...this.#options, isOver });
  }

  async ask(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    this.#turn += 1;
    const url = this.#urls[this.#turn % this.#urls.length] ?? this.#urls[0];
    const headers = {
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { pace, patienceMs } = this.#options;
    const signal = AbortSignal.timeout(pace.ms(patienceMs));
    const response = await fetch(`${url}${path}`, { method, headers, signal, ...sent });
    const text = await response.text();
    return {
      status: response.status,
      body: text.startsWith("{") ? (JSON.parse(text) as Body) : {},
      decided: response.headers.get("x-svc-decided"),
    };
  }

  /** Null: it was not answered, and may or may not have been done. */
  async try(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer | null> {
    return this.ask(method, path, body, idempotencyKey).catch(() => null);
  }

  /** Until it is acknowledged or refused. What fails again and again has its failure as its answer. */
  async send(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    const call = { what: `an answer to ${method} ${path}` };
    UNANSWERED.add(call);
    try {
      return await this.#send(call.what, method, path, body, idempotencyKey);
    } finally {
      UNANSWERED.delete(call);
    }
  }

  async #send(what: string, ...[method, path, body, idempotencyKey]: Call): Promise<Answer> {
    let failures = 0;
    const bound = new Bound(this.#options.pace, MOST_SECONDS);
    while (!bound.isOver()) {
      if (this.#options.isOver()) throw new Over();
      const answer = await this.try(method, path, body, idempotencyKey);
      failures = answer?.status === 500 ? failures + 1 : 0;
      if (answer !== null && (answer.status < 500 || failures === MOST_FAILURES)) return answer;
      await sleep(PAUSE_MS);
    }
    throw bound.tooLate(what);
  }

  /** Every page of a list. The path ends in `?` or `&`. */
  async all(path: string): Promise<Body[]> {
    const found: Body[] = [];
    for (let cursor = ""; ;) {
      const { body } = await this.send("GET", `${path}limit=200${cursor}`);
      const { data, next_cursor: next } = body as { data: Body[]; next_cursor: string | null };
      found.push(...data);
      if (next === null) return found;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }
}
