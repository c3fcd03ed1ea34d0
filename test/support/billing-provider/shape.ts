import type { Billed } from "./rates.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A piece of a stream, and how many of the tokens that it shows are in it. */
export interface Piece {
  readonly bytes: string | Uint8Array;
  readonly tokens: number;
}

/** An answer, before it is written in the form of an API. */
export interface Said {
  readonly model: string;
  readonly words: readonly string[];
  readonly billed: Billed;
  /** As the answer tells it. Null: the answer has none. */
  readonly usage: Json | null;
  /** The service tier that the answer names. */
  readonly tier: string | undefined;
  /** True if a stream tells its usage before its text, and not again. */
  readonly tellsEarly: boolean;
  /** Items that hosted tools leave in an answer. */
  readonly items: readonly Json[];
}

/** The form in which an API answers. */
export interface Wire {
  /** What the API tells of a call, if it tells all. */
  usageOf(billed: Billed): Json;
  whole(said: Said): Json | readonly Json[] | Uint8Array;
  wholeType?: string;
  /** The pieces of a stream. The first and the last show no token. */
  pieces?(said: Said): readonly Piece[];
  streamType?: string;
  /** The event by which a provider breaks off a stream. */
  failure?(): Piece;
}

/** What becomes of an answer that does not end by itself. */
export type Ending =
  /** The caller leaves, and the provider falls silent until it is stopped. */
  | "left"
  /** The caller leaves, and the provider goes on to its end. */
  | "left alone"
  /** The connection breaks in the middle. */
  | "cut"
  /** An event says that it is over. */
  | "broken off"
  /** The connection breaks before an answer, and after the work. */
  | "lost"
  /** A gateway gives up on an answer that is billed all the same. */
  | "timed out";

/** How one call is sent, what its provider bills for it, and how it answers. */
export interface Shape {
  readonly name: string;
  /** The prefix of its provider. */
  readonly host: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `{prompt}` stands for the text by which the provider knows the call. */
  readonly body: Json;
  /** The recording that a form has with it. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  readonly wire: Wire;
  /** The row of the price page. */
  readonly priced: string;
  readonly billed: Billed | ((sent: Json) => Billed);
  /** What the answer tells of its usage. Default: all of it. */
  readonly tells?: (usage: Json) => Json | null;
  readonly tellsEarly?: boolean;
  readonly items?: readonly Json[] | ((billed: Billed) => readonly Json[]);
  readonly tier?: string;
  readonly isStream?: boolean;
  readonly ends?: Ending;
  /** True if it must be refused before anything is sent. */
  readonly isHostile?: boolean;
}

export const PROMPT = "{prompt}";

/** Leaves members out of what an answer tells. */
export const without =
  (...names: readonly string[]) =>
  (usage: Json): Json =>
    Object.fromEntries(Object.entries(usage).filter(([name]) => !names.includes(name)));

/** Tells nothing but zeros. */
export function zeros(usage: Json): Json {
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]) => (typeof value === "number" ? [[name, 0]] : [])),
  );
}

export const nothing = (): null => null;
