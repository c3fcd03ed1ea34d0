import { setTimeout as sleep } from "node:timers/promises";

/** A careful client: it sends the same again until it is answered, to one address after the other. */

export type Body = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly body: Body;
  /** Where a decision was made. */
  readonly decided: string | null;
}

const MOST_ATTEMPTS = 2000;
const PAUSE_MS = 20;
const PATIENCE_MS = 10_000;

export class Caller {
  readonly #urls: readonly [string, ...string[]];
  readonly #key: string;
  #turn = 0;

  constructor(urls: readonly [string, ...string[]], key: string) {
    this.#urls = urls;
    this.#key = key;
  }

  /** The same addresses with another key. */
  as(key: string): Caller {
    return new Caller(this.#urls, key);
  }

  async ask(method: string, path: string, body?: object): Promise<Answer> {
    this.#turn += 1;
    const url = this.#urls[this.#turn % this.#urls.length] ?? this.#urls[0];
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${url}${path}`, { method, headers, signal, ...sent });
    const text = await response.text();
    return {
      status: response.status,
      body: text.startsWith("{") ? (JSON.parse(text) as Body) : {},
      decided: response.headers.get("x-svc-decided"),
    };
  }

  /** Null: it was not answered, and may or may not have been done. */
  async try(method: string, path: string, body?: object): Promise<Answer | null> {
    return this.ask(method, path, body).catch(() => null);
  }

  /** Until it is acknowledged or refused. */
  async send(method: string, path: string, body?: object): Promise<Answer> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const answer = await this.try(method, path, body);
      if (answer !== null && answer.status < 500) return answer;
      await sleep(PAUSE_MS);
    }
    throw new Error(`${method} ${path} was never acknowledged`);
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
