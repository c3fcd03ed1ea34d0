import type { DecisionReply } from "../../gate/decision/object-verdict.ts";
import type { PlainCall } from "../../org/decision-batch.ts";
import { ASK_ALONE, type DecidedTogether, FAILED } from "../../gate/decision/decided-together.ts";
import { ObjectUnreachable, awaitAnswer } from "../object/unreachable.ts";

/** A request gives this to the asks that it sends: its own connection to the object, and work that outlives it. */
export interface Sender {
  send(asked: string): Promise<DecidedTogether | null>;
  waitUntil(work: Promise<unknown>): void;
  now(): number;
  wait(ms: number): Promise<unknown>;
}

export const LINE = {
  /** Calls under way at once. Up to here an ask never waits for the answer to another. */
  mostCalls: 2,
  /** One turn of the isolate: requests that have arrived get to ask. */
  gatherMs: 0,
  /** The most asks of one call: the object serves nobody else meanwhile. */
  mostAsks: 32,
  mostCharacters: 1_000_000,
  /** That wait in this isolate, for one org. More are refused. */
  mostWaiting: 2000,
  mostWaitingCharacters: 8_000_000,
  /** An ask that was not sent for so long is sent by its own request. Calls that take longer hold up no other. */
  slowMs: 250,
  /** A request sends for others this often. Then the next request that asks takes over. */
  relayCalls: 32,
} as const;

/** An ask on its way. */
interface WaitingAsk {
  readonly text: string;
  readonly resolve: (reply: BatchAnswer) => void;
  readonly reject: (error: unknown) => void;
  isSent: boolean;
  /** Its caller no longer waits. If it was not sent, it is not. */
  hasLeft: boolean;
}

type BatchAnswer = DecisionReply | typeof ASK_ALONE;

/** A request that sends what waits, one call after another. */
interface Carrier {
  calls: number;
  sentAt: number;
}

const SLOW = Symbol("slow");

/**
 * The asks of one org that this isolate has for its object. An ask goes at once if no call is under way. Otherwise asks
 * gather for a turn, and while many calls are under way until one of them ends; the next call takes all that wait. Each is
 * answered or fails for itself.
 */
export class DecisionBatcher {
  #waiting: WaitingAsk[] = [];
  #characters = 0;
  readonly #carriers = new Set<Carrier>();

  /** The object's decision. `ASK_ALONE`: it decided nothing, and is to be asked for this one alone. */
  async ask(call: PlainCall, sender: Sender): Promise<BatchAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<BatchAnswer>();
    const waiting: WaitingAsk = {
      text: JSON.stringify(call),
      resolve,
      reject,
      isSent: false,
      hasLeft: false,
    };
    this.#join(waiting);
    this.#retire(sender.now());
    if (this.#carriers.size < LINE.mostCalls) sender.waitUntil(this.#carry(sender));
    try {
      const soon = await Promise.race([promise, sender.wait(LINE.slowMs).then(() => SLOW)]);
      if (typeof soon !== "symbol") return soon;
      if (!waiting.isSent) sender.waitUntil(this.#carry(sender));
      return await awaitAnswer(promise, (ms) => sender.wait(ms));
    } finally {
      waiting.hasLeft = true;
    }
  }

  #join(waiting: WaitingAsk): void {
    const characters = this.#characters + waiting.text.length;
    if (this.#waiting.length >= LINE.mostWaiting || characters > LINE.mostWaitingCharacters) {
      throw new ObjectUnreachable("too many decisions wait for the object");
    }
    this.#waiting.push(waiting);
    this.#characters = characters;
  }

  /** Whoever has sent enough, or waits for long, makes room for others. The runtime may also have ended its request. */
  #retire(now: number): void {
    for (const carrier of this.#carriers) {
      if (carrier.calls >= LINE.relayCalls || now >= carrier.sentAt + LINE.slowMs) {
        this.#carriers.delete(carrier);
      }
    }
  }

  async #carry(sender: Sender): Promise<void> {
    const carrier: Carrier = { calls: 0, sentAt: sender.now() };
    let hasCompany = this.#carriers.size > 0;
    this.#carriers.add(carrier);
    for (;;) {
      if (hasCompany) await sender.wait(LINE.gatherMs);
      const batch = this.#carriers.has(carrier) ? this.#take() : [];
      if (batch.length === 0) break;
      carrier.calls += 1;
      carrier.sentAt = sender.now();
      await this.#send(batch, sender);
      hasCompany = batch.length > 1;
    }
    this.#carriers.delete(carrier);
  }

  /** The next ones that fit into a call, in the order in which they came. At least one, if any waits. */
  #take(): WaitingAsk[] {
    const batch: WaitingAsk[] = [];
    let characters = 0;
    let taken = 0;
    for (const waiting of this.#waiting) {
      const { length } = waiting.text;
      if (batch.length === LINE.mostAsks) break;
      if (batch.length > 0 && characters + length > LINE.mostCharacters) break;
      taken += 1;
      this.#characters -= length;
      if (waiting.hasLeft) continue;
      characters += length;
      waiting.isSent = true;
      batch.push(waiting);
    }
    this.#waiting.splice(0, taken);
    return batch;
  }

  /** An error of the call is one of each ask: it is unknown whether the object decided. */
  async #send(batch: readonly WaitingAsk[], sender: Sender): Promise<void> {
    try {
      const asked = `[${batch.map(({ text }) => text).join(",")}]`;
      const decided = await awaitAnswer(sender.send(asked), (ms) => sender.wait(ms));
      for (const [index, waiting] of batch.entries()) tell(waiting, decided, index);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function tell({ resolve, reject }: WaitingAsk, decided: DecidedTogether | null, index: number): void {
  const answer = decided === null ? ASK_ALONE : decided.answers[index];
  if (answer === undefined || answer === FAILED) reject(new ObjectUnreachable("the object failed"));
  else if (typeof answer === "string" && decided !== null) resolve(replyOf(answer, decided));
  else resolve(answer as BatchAnswer);
}

function replyOf(text: string, { orgNow, version }: DecidedTogether): DecisionReply {
  return { refusal: null, text, rates: [], decisionPlan: null, orgNow, version, leases: null };
}
