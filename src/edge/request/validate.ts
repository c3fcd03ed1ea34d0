import type * as z from "zod";
import type { FieldError } from "../../contract/error-details.ts";
import { fieldPath } from "../../contract/field-path.ts";
import { isCursorOf, LIST_SCOPE } from "../../contract/list.ts";
import { invalidField, invalidFields, MOST_FIELDS, type Refusal } from "../../contract/refusal.ts";
import type { Call } from "./call.ts";
import { issueText } from "./issue-text.ts";
import { ASK_HEADER_PREFIX } from "../../contract/resources/decisions/decision-headers.ts";
import { listScope } from "./list-scope.ts";

type Issue = z.core.$ZodIssue;

function codeOf(issue: Issue): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the codes that are left read the same to callers
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "required" : "invalid_type";
    case "too_small":
      return (issue.origin === "string" || issue.origin === "array") && isEmpty(issue.input)
        ? "empty"
        : "out_of_range";
    case "too_big":
      return issue.origin === "array" ? "too_many" : "out_of_range";
    case "invalid_value":
      return typeof issue.input === "string" ? "invalid_value" : missingOr(issue.input, "invalid_type");
    case "invalid_format":
      return "invalid_format";
    case "custom":
      return typeof issue.params?.["code"] === "string" ? issue.params["code"] : "invalid_value";
    case "invalid_union":
      return unionCode(issue);
    default:
      return "invalid_value";
  }
}

/** If a discriminator selects the shape, report the discriminator as missing or wrong. */
function unionCode(issue: z.core.$ZodIssueInvalidUnion): string {
  if (typeof issue.discriminator !== "string") return missingOr(issue.input, "invalid_type");
  const said = (issue.input as Readonly<Record<string, unknown>> | undefined)?.[issue.discriminator];
  return typeof said === "string" ? "invalid_value" : missingOr(said, "invalid_type");
}

function missingOr(input: unknown, code: string): string {
  return input === undefined ? "required" : code;
}

function isEmpty(input: unknown): boolean {
  return (typeof input === "string" || Array.isArray(input)) && input.length === 0;
}

/** Converts Zod issues to field errors, one at a time: the caller stops when it has enough. */
function* toFieldErrors(
  issues: readonly Issue[],
  unknownCode: string,
  prefix: readonly PropertyKey[] = [],
): Generator<FieldError> {
  for (const issue of issues) {
    const path = [...prefix, ...issue.path];
    const closest = closestShape(issue);
    if (issue.code === "unrecognized_keys") {
      const message = "is not a field of this operation";
      for (const key of issue.keys) yield { field: fieldPath([...path, key]), code: unknownCode, message };
    } else if (closest !== null) yield* toFieldErrors(closest, unknownCode, path);
    else {
      const code = codeOf(issue);
      yield { field: fieldPath(path), code, message: messageOf(issue, code) };
    }
  }
}

/** The problems of the best-fitting member of a union that is for values of this type. Null if none is. */
function closestShape(issue: Issue): readonly Issue[] | null {
  if (issue.code !== "invalid_union") return null;
  const ofType = issue.errors.filter((inner) => !inner.some(isOfOtherType));
  return ofType.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** The value itself, and not a part of it, is a string instead of a list or the like. */
function isOfOtherType({ code, path, input }: Issue): boolean {
  if (path.length > 0) return false;
  return code === "invalid_type" || (code === "invalid_value" && typeof input !== "string");
}

/** If a discriminator is missing or unknown, the allowed values are listed; if the type is wrong, the types are. */
function messageOf(issue: Issue, code: string): string {
  if (issue.code === "invalid_union" && "options" in issue && Array.isArray(issue.options)) {
    return `must be ${issue.options.map(String).join(" or ")}`;
  }
  if (code === "required") return "is required";
  if (issue.code !== "invalid_union") return issue.message;
  const said = issue.errors.flatMap((inner) => inner.filter(isOfOtherType).map(({ message }) => message));
  const kinds = new Set(said.map((message) => message.replace(/^must be /, "")));
  return kinds.size === 0 ? issue.message : `must be ${[...kinds].join(" or ")}`;
}

/** One for each field, up to the maximum number of reported fields. */
function firstPerField(errors: Iterable<FieldError>): FieldError[] {
  const first = new Map<string, FieldError>();
  for (const error of errors) {
    if (!first.has(error.field)) first.set(error.field, error);
    if (first.size === MOST_FIELDS) break;
  }
  return [...first.values()];
}

export function checkShape<T extends z.ZodType>(
  shape: T,
  value: unknown,
  unknownCode: string,
): { readonly value: z.output<T> } | Refusal<"validation_failed"> {
  const result = shape.safeParse(value, { reportInput: true, error: issueText });
  return result.success
    ? { value: result.data }
    : invalidFields(firstPerField(toFieldErrors(result.error.issues, unknownCode)));
}

/** Without its question mark. */
function searchOf(url: string): string {
  const [, search = ""] = /\?([^#]*)/.exec(url) ?? [];
  return search;
}

function queryOf(search: string): Record<string, string | string[]> {
  const query = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const seen = query.get(name);
    if (Array.isArray(seen)) seen.push(value);
    else query.set(name, seen === undefined ? value : [seen, value]);
  }
  return Object.fromEntries(query);
}

/** Parameters that are not percent-encoded UTF-8. A lenient parser would read different text than was sent. */
function unreadable(search: string): FieldError[] {
  if (!search.includes("%")) return [];
  const pairs = search.split("&");
  const errors = pairs.flatMap((pair): FieldError[] => {
    const [[name, value] = ["", ""]] = new URLSearchParams(pair);
    const replaced = `${name}${value}`.split("\uFFFD").length;
    const sent = pair.toUpperCase().split("%EF%BF%BD").length;
    const message = "must be percent-encoded UTF-8";
    return replaced === sent ? [] : [{ field: name, code: "invalid_format", message }];
  });
  return firstPerField(errors);
}

export function validateQuery(call: Call): Refusal | null {
  if (call.op.query === undefined) return null;
  const search = searchOf(call.url);
  const garbled = unreadable(search);
  if (garbled.length > 0) return invalidFields(garbled);
  const checked = checkShape(call.op.query, queryOf(search), "unknown_parameter");
  if ("refused" in checked) return checked;
  call.query = checked.value;
  return "cursor" in call.op.query.shape ? checkCursor(call) : null;
}

function checkCursor(call: Call): Refusal | null {
  const scope = listScope(call, call.query);
  const { cursor } = call.query;
  if (typeof cursor === "string" && !isCursorOf(cursor, scope)) {
    return invalidField("cursor", "invalid_value", "belongs to a different list, organization or filter");
  }
  call.query = { ...call.query, [LIST_SCOPE]: scope };
  return null;
}

export function validateHeaders(call: Call): Refusal | null {
  if (call.op.headers === undefined) return null;
  const given = [...call.request.headers].filter(([name]) => name.startsWith(ASK_HEADER_PREFIX));
  const checked = checkShape(call.op.headers, Object.fromEntries(given), "unknown_header");
  if ("refused" in checked) return checked;
  call.requestHeaders = checked.value;
  return null;
}

/** Where an operation has a reader of its own, the schema only explains what that one refused. */
export function validateBody(call: Call): Refusal | null {
  const { body, reader } = call.op;
  if (body === undefined) return null;
  if (call.read !== null) {
    call.body = call.read;
    return null;
  }
  const checked = checkShape(body, call.body, "invalid_body");
  if ("refused" in checked) return checked;
  call.body = checked.value;
  return reader === undefined ? null : refuseUnread();
}

/** For a body that a reader refuses, and that its schema finds nothing wrong with. No test has found one. */
export function refuseUnread(): Refusal<"validation_failed"> {
  return invalidField("body", "invalid_body", "cannot be read");
}
