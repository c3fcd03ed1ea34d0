import type * as z from "zod";

type RawIssue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Returns what is wrong with a value, in plain English. A shape with a message of its own says that instead. */
export function issueText(issue: RawIssue): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- what is left has no better text
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kindOf(issue)}`;
    case "too_small":
      return boundText(
        issue.origin,
        Number(issue.minimum),
        issue.inclusive === false ? "more than" : "at least",
      );
    case "too_big":
      return boundText(
        issue.origin,
        Number(issue.maximum),
        issue.inclusive === false ? "less than" : "at most",
      );
    case "invalid_value":
      return `must be ${anyOf(issue.values.map(String))}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return "is not written as expected here";
    default:
      return "is not accepted here";
  }
}

function kindOf(issue: RawIssue & { readonly code: "invalid_type" }): string {
  const { format } = (issue.inst?._zod.def ?? {}) as { readonly format?: string };
  return KINDS[format === "safeint" ? "int" : issue.expected] ?? `of the type ${issue.expected}`;
}

const COUNTED: Readonly<Record<string, string>> = { string: "character", array: "entry" };

function boundText(origin: string, bound: number, relation: string): string {
  const one = COUNTED[origin];
  if (one === undefined) return `must be ${relation} ${bound}`;
  if (relation === "at least" && bound === 1) return "must not be empty";
  const many = one === "entry" ? "entries" : `${one}s`;
  return `must have ${relation} ${bound} ${bound === 1 ? one : many}`;
}

/** "a, b or c". */
function anyOf(values: readonly string[]): string {
  const last = values.at(-1) ?? "nothing";
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`;
}
