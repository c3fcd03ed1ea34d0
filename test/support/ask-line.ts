import { DecisionBatcher, LINE, type Sender } from "../../src/edge/decision/decision-batcher.ts";
import type { DecidedTogether } from "../../src/gate/decision/decided-together.ts";
import type { DecisionReply } from "../../src/gate/decision/object-verdict.ts";
import type { PlainCall } from "../../src/org/decision-batch.ts";

const ACTOR = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null } as const;

export function anAsk(name: string, padding = 0): PlainCall {
  const envelope = { actor: ACTOR, trace: name, idempotency: null, ifMatch: null };
  const ask = { estimate: { cost_usd: "1" }, input: "x".repeat(padding) };
  return { ask, keyId: ACTOR.id, wantsPlan: false, envelope };
}

/** A call that the object has not answered yet. */
export interface Sent {
  readonly names: readonly string[];
  readonly by: string;
  /** Without a turn. */
  resolve(): void;
  answer(answers?: DecidedTogether["answers"]): Promise<void>;
  fail(error: Error): Promise<void>;
}

export const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

const told = (answers: DecidedTogether["answers"]) => ({ orgNow: 7, version: "v", answers });

/** An isolate with one line, and an object that answers when it is told to. */
export class Isolate {
  readonly line = new DecisionBatcher();
  readonly calls: Sent[] = [];
  now = 1_000_000;
  readonly #timers: { readonly by: string; readonly ms: number; readonly end: () => void }[] = [];
  readonly #gone = new Set<string>();

  ask(name: string, padding = 0): Promise<DecisionReply | null> {
    const asked = this.line.ask(anAsk(name, padding), this.#sender(name));
    asked.catch(() => undefined);
    return asked;
  }

  asks(names: readonly string[]) {
    return names.map((name) => this.ask(name));
  }

  /** As many calls as may be are under way, for an ask each. */
  async busy(): Promise<Promise<DecisionReply | null>[]> {
    const asked: Promise<DecisionReply | null>[] = [];
    for (const name of named(0, LINE.mostCalls)) {
      asked.push(this.ask(name));
      await this.turn();
    }
    return asked;
  }

  /** Those that gather have gathered. */
  async turn(): Promise<void> {
    await settled();
    for (const { by, ms, end } of this.#timers) if (ms === LINE.gatherMs && !this.#gone.has(by)) end();
    await settled();
  }

  /** The runtime has ended a request: it waits for nothing more, and sends and hears nothing. */
  end(name: string): void {
    this.#gone.add(name);
  }

  /** The time that a request began to wait for first is over. */
  async timeOut(by: string, ms: number): Promise<void> {
    if (!this.#gone.has(by)) this.#timers.find((timer) => timer.by === by && timer.ms === ms)?.end();
    await this.turn();
  }

  #sender(by: string): Sender {
    return {
      now: () => this.now,
      waitUntil: (work) => void work.catch(() => undefined),
      wait: (ms) => new Promise<void>((end) => this.#timers.push({ by, ms, end })),
      send: (text) => {
        const { promise, resolve, reject } = Promise.withResolvers<DecidedTogether | null>();
        const names = (JSON.parse(text) as PlainCall[]).map(({ envelope }) => envelope.trace);
        const answer = (answers: DecidedTogether["answers"] = names) => {
          if (!this.#gone.has(by)) resolve(told(answers));
          return this.turn();
        };
        const fail = (error: Error) => {
          if (!this.#gone.has(by)) reject(error);
          return this.turn();
        };
        this.calls.push({ names, by, resolve: () => resolve(told(names)), answer, fail });
        return promise;
      },
    };
  }
}

export const named = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `a${from + at}`);
export const textsOf = async (asked: readonly Promise<DecisionReply | null>[]) =>
  (await Promise.all(asked)).map((reply) => reply?.text);
