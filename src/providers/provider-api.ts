import type { JsonObject } from "./json.ts";
import type { FactsOfModel } from "./model-facts.ts";
import type { WireRefusal } from "./wire-refusal.ts";

/** The usage of a call, in the classes of a run: totals, and parts of them that do not overlap. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens?: number | undefined;
  readonly cache_write_tokens?: number | undefined;
  readonly cache_write_1h_tokens?: number | undefined;
  readonly audio_input_tokens?: number | undefined;
  readonly image_input_tokens?: number | undefined;
  readonly reasoning_tokens?: number | undefined;
  readonly audio_output_tokens?: number | undefined;
  readonly image_output_tokens?: number | undefined;
  readonly units?: Units | undefined;
}

/** Counts of what is billed by the piece, such as searches, by the unit's name in the price book. */
export type Units = Readonly<Record<string, number>>;

/** The bounds of a request's cost, as far as they can be known before it is made. */
export interface MeteredRequest {
  readonly model: string;
  readonly isStream: boolean;
  /** The most input tokens that what the body shows can have. */
  readonly inputTokens: number;
  /** The member by which the provider reads more than the body shows. Null if all of the input is in the body. */
  readonly unseenInput: string | null;
  /** How often the model may read its context for one answer: once, and again after each call of a tool that the provider runs. */
  readonly passes: number;
  /** True if input may be billed above the rate of text: sound, and what is written to a cache. */
  readonly hasCostlyInput: boolean;
  /**
   * Null if the answer has no tokens, or they do not depend on a bound. Then `fixedOutputTokens` says how many there
   * may be.
   */
  readonly outputBound: OutputBound | null;
  readonly fixedOutputTokens: number;
  /** True if output may be billed above the rate of text: sound and pictures. */
  readonly hasCostlyOutput: boolean;
  /** True if output may be billed that the answer does not show. */
  readonly hidesOutput: boolean;
  /** The most pieces that are billed beside tokens. */
  readonly units: Units;
  /** The input tokens that each search of the web is billed beside those of the usage. */
  readonly inputPerSearch: number;
  /** Those of them that are billed as soon as the call is made, whether or not the answer shows their use. */
  readonly startedUnits: Units;
  /** The units in which pieces are billed that the answer tells under another name. */
  readonly billedAs: Readonly<Record<string, string>>;
  /** The price variant, such as a service tier. Null means the standard one. */
  readonly variant: string | null;
  /** The provider answers at once and goes on working. */
  readonly isBackground: boolean;
  /** False if the stream has an event with the usage that the caller did not ask for. */
  readonly showsUsageEvent: boolean;
  /** The texts that content rules read. */
  readonly texts: readonly string[];
}

/** The bound of a request's output. */
export interface OutputBound {
  /** The bound of one answer that the caller set. Null if there is none. */
  readonly perAnswer: number | null;
  /** The bound that the provider takes where there is none. Null means whatever the model can write. */
  readonly usualPerAnswer: number | null;
  /** How many answers are written: each may be as long as the bound. */
  readonly answers: number;
}

/** The facts about a call's cost that an answer tells. */
export interface AnswerFacts {
  /** Null if there is nothing that can be believed, or a count is missing that the API always sends. */
  readonly usage: Usage | null;
  /** True if the usage says nothing of input that is billed above the rate of text. */
  readonly hidesInputClasses?: boolean;
  /** True if the usage says nothing of output that is billed above the rate of text. */
  readonly hidesOutputClasses?: boolean;
  /** Null if the answer does not say it. */
  readonly units: Units | null;
  /** The service tier that the provider used. Null if the answer does not say it. */
  readonly variant: string | null;
  /** The cost of the call in dollars, if the provider tells it. */
  readonly costUsd: string | null;
}

/** The facts that one event of a stream tells. */
export interface EventFacts {
  /** Raw, because some providers spread it over several events. */
  readonly usage?: unknown;
  /** True if that is the usage of the whole answer. A stream may begin with that of its input. */
  readonly isWholeUsage?: boolean;
  /** Text of the output: a string, or an object with texts in it. */
  readonly text?: readonly unknown[];
  /** True if the event is output that has no text to count, such as sound. */
  readonly isUncounted?: boolean;
  readonly isLast?: boolean;
  readonly hasFailed?: boolean;
  /** The answer as a whole, where an event carries it. */
  readonly answer?: JsonObject | undefined;
  /** True if the event has the usage and nothing else: it is there because it was asked for. */
  readonly isUsageEvent?: boolean;
}

/** The description of one API, whichever provider serves it. Nothing here reads or writes anything. */
export interface ProviderApi {
  readonly name: string;
  readonly body: "json" | "form";
  /**
   * The members that a body may have. Another may change what is billed, or what the answer says of it, so that it is
   * refused; so is one that differs from them only in case.
   */
  readonly members: ReadonlySet<string>;
  /** The names that a query may have. Default: none. */
  readonly queryNames?: ReadonlySet<string>;
  /** The provider's own headers that a caller may send, in lower case. Default: none. */
  readonly ownHeaders?: ReadonlySet<string>;
  /** Throws `Unmetered`. */
  readRequest(body: JsonObject, given: RequestContext): MeteredRequest;
  /** The same body with a bound on the output of each answer, and a request for the usage of a stream. */
  withBounds(body: JsonObject, bounds: Bounds): JsonObject;
  /** Returns what a whole answer says. It may hold only some of the members that `answerMembers` names. */
  readAnswer(answer: JsonObject): AnswerFacts;
  /** The members that `readAnswer` needs. Large answers are read by them alone. */
  readonly answerMembers: readonly string[];
  /** Null if answers of this API are never streams of events. */
  readonly readEvent: ((event: JsonObject) => EventFacts) | null;
  /** A refusal as the SDKs of this API expect it. */
  errorBody(refusal: WireRefusal): object;
}

/** How answers of an API are read. */
export type AnswerApi = Pick<ProviderApi, "readAnswer" | "answerMembers" | "readEvent">;

export interface Bounds {
  /** Null if the request needs none. */
  readonly maxOutputTokens: number | null;
  /** Null if nothing was reserved by tokens. */
  readonly maxPrice?: MaxPrice | null | undefined;
  /** As in the context of the request that was read. */
  readonly hostedToolPasses?: number | undefined;
}

/** Dollars per million tokens above which either side alone would cost more than the reservation of the whole call. */
export interface MaxPrice {
  readonly prompt: number;
  readonly completion: number;
}

/** The facts about a request beside its body. */
export interface RequestContext {
  /** The model that the path names. Null if it names none. */
  readonly pathModel: string | null;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly facts: (model: string) => FactsOfModel;
  /** How often an answer with hosted tools may read its context where the body sets no bound. Default: 4. */
  readonly hostedToolPasses?: number | undefined;
}
