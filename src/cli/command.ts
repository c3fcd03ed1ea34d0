import type { SluiceOptions } from "../client/index.ts";

/** The means by which a command reads and writes besides its arguments. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly fetch: NonNullable<SluiceOptions["fetch"]>;
  /** How long the service may take for an answer. */
  readonly answerMs: number;
  /** The text of a file. It throws if there is none, or if it is larger than this. */
  readonly read: (path: string, mostBytes: number) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks somebody a question and resolves to the answer. Null if nobody is there. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Waits. False if the process is to end instead. */
  readonly wait: (ms: number) => Promise<boolean>;
}

/** One command of `sluice`. */
export interface Command {
  /** The part of its usage line after its name. */
  readonly usage: string;
  /** Its purpose, in one line. */
  readonly summary: string;
  /** Each option, with what it means. */
  readonly options: Readonly<Record<string, Option>>;
  /** Resolves to an exit status other than 0 where there is one to tell. */
  run(given: CommandInput, terminal: Terminal): Promise<number | void>;
}

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** The field that it sets, where that has another name: the service complains about fields. */
  readonly field?: string;
  readonly says: string;
}

export interface CommandInput {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly arguments: readonly string[];
}

/** The caller used a command in a way that it does not have. */
export class UsageError extends Error {}

/** A command cannot do what it was asked for. Each line says why. */
export class Failure extends Error {
  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

export const text = (given: CommandInput, name: string): string | undefined => {
  const value = given.options[name];
  return typeof value === "string" ? value : undefined;
};

export function wholeNumber(given: CommandInput, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(value))
    throw new UsageError(`--${name} must be a whole number, not ${JSON.stringify(value)}`);
  return Number(value);
}

/** Characters that move the cursor, hide text or reverse its direction. Names of other people may have them. */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A text that does to a terminal no more than show itself. */
export function toPrintable(said: string): string {
  return said.replaceAll(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
