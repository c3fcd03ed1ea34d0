import { mostTokensIn } from "../../domain/text/token-bound.ts";
import { isJsonObject } from "../json.ts";

/** Strings in what providers stream that the model did not write. Every other string counts, whatever its name. */
const NOT_WRITTEN = new Set([
  "id",
  "type",
  "role",
  "object",
  "status",
  "call_id",
  "item_id",
  "finish_reason",
  "stop_reason",
  "stop_sequence",
  "obfuscation",
]);

/** Text that a model writes around a piece, such as the marks of a tool's call, is billed and not shown. */
const UNSHOWN_TOKENS = 1;

/**
 * The most output tokens that what was seen can have been billed as. A piece may hold any number of tokens, and each of them
 * stands for at least one byte.
 */
export class CountedText {
  #tokens = 0;

  get tokens(): number {
    return this.#tokens;
  }

  /** Adds a piece of text, or an object with texts in it. */
  add(piece: unknown): void {
    const tokens = typeof piece === "string" ? mostTokensIn(piece) : tokensUnder(piece, 0);
    if (tokens > 0) this.#tokens += tokens + UNSHOWN_TOKENS;
  }
}

const DEEPEST = 8;

function tokensUnder(value: unknown, depth: number): number {
  if (depth > DEEPEST) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensUnder(item, depth + 1), 0);
  if (!isJsonObject(value)) return 0;
  let sum = 0;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string") sum += tokensUnder(member, depth + 1);
    else if (!NOT_WRITTEN.has(name)) sum += mostTokensIn(member);
  }
  return sum;
}
