import type { Sluice } from "../client/index.ts";

/** What a command reads and writes besides its arguments. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Made when it is first needed: help needs no address and no key. */
  readonly client: () => Sluice;
}

/** One command of `sluice`. */
export interface Command {
  /** What comes after its name. */
  readonly usage: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** Each option, with what it means. */
  readonly options: Readonly<Record<string, Option>>;
  run(given: Given, terminal: Terminal): Promise<void>;
}

interface Option {
  readonly type: "string" | "boolean";
  readonly says: string;
}

export interface Given {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly arguments: readonly string[];
}

/** The caller used a command in a way that it does not have. */
export class UsageError extends Error {}

export const text = (given: Given, name: string): string | undefined => {
  const value = given.options[name];
  return typeof value === "string" ? value : undefined;
};

export function wholeNumber(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(value))
    throw new UsageError(`--${name} must be a whole number, not ${JSON.stringify(value)}`);
  return Number(value);
}
