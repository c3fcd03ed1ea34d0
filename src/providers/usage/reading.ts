import { isJsonObject, type JsonObject } from "../json.ts";
import type { AnswerApi, AnswerFacts } from "../provider-api.ts";
import { AwsFrames, isAwsEventStream } from "./aws-frames.ts";
import { CountedText } from "./counted-text.ts";
import { EventLines } from "./event-lines.ts";
import { JsonMembers } from "./json-members.ts";

/** The facts that have been read of an answer so far. */
export interface Reading extends AnswerFacts {
  /** True if the usage is that of the whole answer. */
  readonly isWhole: boolean;
  readonly isStream: boolean;
  /** The most output tokens that the text that was seen can be. Only streams are counted. */
  readonly countedOutput: number;
  /** True if output passed that could not be counted. */
  readonly hasUncounted: boolean;
  /** The last event has come. Readers leave after it, without waiting for the end of the body. */
  readonly isDone: boolean;
  /** The provider broke off with an error. */
  readonly hasFailed: boolean;
}

/** Reads an answer from its bytes on their way. */
export interface AnswerReader {
  push(chunk: Uint8Array): void;
  readonly reading: Reading;
}

export function isEventStream(contentType: string | null): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? "") || isAwsEventStream(contentType);
}

/** Null for an API: nothing is read. */
export function answerReader(api: AnswerApi | null, contentType: string | null): AnswerReader {
  if (api === null) return NO_READER;
  return api.readEvent !== null && isEventStream(contentType)
    ? new StreamReader(api, isAwsEventStream(contentType))
    : new BodyReader(api);
}

const UNREAD = {
  isStream: false,
  countedOutput: 0,
  hasUncounted: false,
  isDone: false,
  hasFailed: false,
} as const;

const NO_READER: AnswerReader = {
  push: () => undefined,
  reading: { ...UNREAD, isWhole: false, usage: null, units: null, variant: null, costUsd: null },
};

/** The members that count are picked from the bytes, so that an answer of any size costs the same memory. */
class BodyReader implements AnswerReader {
  readonly #api: AnswerApi;
  readonly #members: JsonMembers;

  constructor(api: AnswerApi) {
    this.#api = api;
    this.#members = new JsonMembers(api.answerMembers);
  }

  push(chunk: Uint8Array): void {
    this.#members.push(chunk);
  }

  get reading(): Reading {
    const found = this.#api.answerMembers.map((name) => [name, this.#members.get(name)]);
    const facts = this.#api.readAnswer(Object.fromEntries(found) as JsonObject);
    return { ...UNREAD, ...facts, isWhole: facts.usage !== null || facts.costUsd !== null };
  }
}

class StreamReader implements AnswerReader {
  readonly #api: AnswerApi;
  readonly #events: Pick<AnswerReader, "push">;
  readonly #counted = new CountedText();
  #usage: JsonObject | null = null;
  #isWhole = false;
  #hasUncounted = false;
  #isDone = false;
  #hasFailed = false;
  /** The answer that an event carried, or the members of it that events told one by one. */
  #answer: JsonObject = {};

  constructor(api: AnswerApi, isAws: boolean) {
    this.#api = api;
    this.#events = isAws
      ? new AwsFrames((event) => this.#take(event))
      : new EventLines((data) => this.#line(data));
  }

  push(chunk: Uint8Array): void {
    this.#events.push(chunk);
  }

  get reading(): Reading {
    const facts = this.#api.readAnswer({ ...this.#answer, usage: this.#usage });
    return {
      ...facts,
      isWhole: this.#isWhole && (facts.usage !== null || facts.costUsd !== null),
      isStream: true,
      countedOutput: this.#counted.tokens,
      hasUncounted: this.#hasUncounted,
      isDone: this.#isDone,
      hasFailed: this.#hasFailed,
    };
  }

  #line(data: string | null): void {
    if (data === "[DONE]") this.#isDone = true;
    else if (data !== "") this.#take(data === null ? null : eventIn(data));
  }

  #take(event: JsonObject | null): void {
    if (event === null) {
      // Nobody can say how much output an event has that cannot be read.
      this.#hasUncounted = true;
      return;
    }
    const facts = this.#api.readEvent?.(event) ?? {};
    const before = this.#counted.tokens;
    for (const text of facts.text ?? []) this.#counted.add(text);
    // A usage that text follows was not that of the whole answer.
    if (this.#counted.tokens > before && facts.isWholeUsage !== true) this.#isWhole = false;
    this.#hasUncounted ||= facts.isUncounted === true;
    this.#isDone ||= facts.isLast === true;
    this.#hasFailed ||= facts.hasFailed === true;
    if (facts.answer !== undefined) this.#answer = { ...this.#answer, ...facts.answer };
    if (!isJsonObject(facts.usage)) return;
    // Some providers tell the usage in parts: what comes later replaces what came before.
    const stated = Object.entries(facts.usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(stated) };
    this.#isWhole ||= facts.isWholeUsage === true;
  }
}

export function eventIn(data: string): JsonObject | null {
  try {
    const value = JSON.parse(data) as unknown;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
