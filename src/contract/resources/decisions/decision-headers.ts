import * as z from "zod";
import { DECISION, leastOutputProblem } from "../../decision.ts";
import { withRule } from "../../field-rules.ts";
import { callerId } from "../../ids.ts";
import { DECISION_CHECKS, EXPIRY_ACTIONS } from "../../lists.ts";
import { type NamedScope, type ScopeField, STATED_SCOPES } from "../../scopes.ts";
import { usdInput } from "../../shapes.ts";
import { attribution } from "./attribution.ts";
import { type DecisionAsk, estimatedUnits, LEAST_OUTPUT, leastTokens } from "./decisions.ts";
import { modelName } from "../usage/dimension-shape.ts";
import { tokens } from "../runs/runs.ts";

/** A decision that is asked in headers, for proxies that send no body of their own. */

/** Headers that begin like this are about the decision. One that is not known is refused, never passed over. */
export const ASK_HEADER_PREFIX = "x-sluice-";

const ONCE = /^[^,]*$/;

/** A header that is sent twice arrives as one, with a comma in between: a client's beside a proxy's must not become a third. */
function once<Shape extends z.ZodType<unknown, string>>(shape: Shape, description: string) {
  return z
    .string()
    .regex(ONCE, "must be sent once, and must not contain a comma")
    .pipe(shape)
    .optional()
    .meta({ description });
}

function whole<Shape extends z.ZodType<unknown, number>>(shape: Shape, description: string) {
  const digits = z.string().regex(/^\d{1,12}$/, "must be a whole number");
  return once(digits.transform(Number).pipe(shape), description);
}

/** Name=value pairs. A name that is sent twice, also by two headers, is refused. */
function pairs(form: string) {
  return z.string().transform((text, context): Record<string, string> => {
    const found = text.split(",").map(pairOf);
    const named = new Set(found.map((pair) => pair?.[0]));
    if (found.every((pair) => pair !== null) && named.size === found.length) return Object.fromEntries(found);
    context.addIssue({ code: "custom", message: form, params: { code: "invalid_format" } });
    return z.NEVER;
  });
}

const TAGS_FORM =
  "must be name=value pairs with a comma between them, each name once, values percent-encoded";
const tags = pairs(TAGS_FORM).pipe(attribution.tags.unwrap());

const UNITS_FORM = "must be name=count pairs with a comma between them, each name once";
const units = pairs(UNITS_FORM)
  .transform((counts): unknown =>
    Object.fromEntries(Object.entries(counts).map(([name, text]) => [name, countIn(text)])),
  )
  .pipe(estimatedUnits);

/** A value that is no whole number stays as it is, and is refused as such. */
function countIn(text: string): unknown {
  return /^\d{1,13}$/.test(text) ? Number(text) : text;
}

function pairOf(text: string): [name: string, value: string] | null {
  const at = text.indexOf("=");
  if (at < 0) return null;
  try {
    return [text.slice(0, at).trim(), decodeURIComponent(text.slice(at + 1).trim())];
  } catch {
    return null;
  }
}

const { least, most } = DECISION.holdSeconds;

/** Scopes that calls are not simply part of. */
const SCOPE_WORDS: Readonly<Partial<Record<NamedScope, string>>> = {
  customer: "The customer that the call is for.",
};

function idHeader(description: string) {
  return once(callerId, description);
}

const scopeHeaders = Object.fromEntries(
  STATED_SCOPES.map(({ kind }) => [
    scopeHeader(kind),
    idHeader(SCOPE_WORDS[kind] ?? `The ${kind} of the call.`),
  ]),
) as { readonly [Kind in NamedScope as ScopeHeader<Kind>]: ReturnType<typeof idHeader> };

type ScopeHeader<Kind extends NamedScope> = `x-sluice-${Kind}-id`;

function scopeHeader<Kind extends NamedScope>(kind: Kind): ScopeHeader<Kind> {
  return `${ASK_HEADER_PREFIX}${kind}-id`;
}

const fields = {
  "x-sluice-request-id": idHeader("Names the call: the same request is reserved once."),
  ...scopeHeaders,
  "x-sluice-user-id": idHeader("The user of the call."),
  "x-sluice-tags": tags.optional().meta({
    description: "Tags of the call, such as `team=search,feature=chat`. Values are percent-encoded.",
  }),
  "x-sluice-model": once(modelName, "The model that is called."),
  "x-sluice-estimate-usd": once(usdInput, "What the call may cost at most."),
  "x-sluice-input-tokens": whole(tokens, "In place of an amount: the tokens of the prompt."),
  "x-sluice-max-output-tokens": whole(tokens, "In place of an amount: the tokens of the longest answer."),
  "x-sluice-units": units.optional().meta({
    description: "Beside tokens: the most of each unit, such as `web_search=2,file_search=1`.",
  }),
  "x-sluice-hold-seconds": whole(
    z.int().min(least).max(most),
    "How long the reservation is kept. If omitted: 900.",
  ),
  "x-sluice-checks": once(z.enum(DECISION_CHECKS), "As `checks` of a decision."),
  "x-sluice-on-expiry": once(z.enum(EXPIRY_ACTIONS), "As `on_expiry` of a decision. If omitted: `charge`."),
};

/** For a proxy that cannot bound a call by what was reserved. */
export const fixedAskHeaders = z.strictObject(fields);

export const askHeaders = withRule(
  z.strictObject({
    ...fields,
    "x-sluice-min-output-tokens": whole(
      leastTokens,
      "As `min_output_tokens` of an estimate. The bound that fits is in `x-sluice-max-output-tokens` of the answer.",
    ),
  }),
  (headers, { complain, isWrong }) => {
    const given = {
      cost_usd: headers["x-sluice-estimate-usd"],
      max_output_tokens: headers["x-sluice-max-output-tokens"],
      min_output_tokens: headers["x-sluice-min-output-tokens"],
    };
    const code = isWrong("x-sluice-max-output-tokens") ? null : leastOutputProblem(given);
    if (code !== null) complain(["x-sluice-min-output-tokens"], code, LEAST_OUTPUT[code]);
  },
);
export type AskHeaders = z.output<typeof askHeaders>;
type AskHeader = keyof AskHeaders;

/** The header that says each field of a decision. */
const HEADER_OF: Readonly<Record<string, AskHeader>> = {
  request_id: "x-sluice-request-id",
  model: "x-sluice-model",
  estimate: "x-sluice-estimate-usd",
  "estimate.cost_usd": "x-sluice-estimate-usd",
  "estimate.input_tokens": "x-sluice-input-tokens",
  "estimate.max_output_tokens": "x-sluice-max-output-tokens",
  "estimate.units": "x-sluice-units",
};
const UNIT = "estimate.units.";

/** Returns what a problem with a decision's field is called where it was asked in headers. */
export function headerOf(field: string): string {
  return field.startsWith(UNIT) ? "x-sluice-units" : (HEADER_OF[field] ?? field);
}

function scopesIn(headers: AskHeaders) {
  const named = STATED_SCOPES.map(({ kind, field }) => [field, headers[scopeHeader(kind)]]);
  return Object.fromEntries(named) as Record<ScopeField, string | undefined>;
}

export function askOf(headers: AskHeaders): DecisionAsk {
  return {
    request_id: headers["x-sluice-request-id"],
    model: headers["x-sluice-model"],
    ...scopesIn(headers),
    user_id: headers["x-sluice-user-id"],
    tags: headers["x-sluice-tags"],
    hold_seconds: headers["x-sluice-hold-seconds"],
    checks: headers["x-sluice-checks"],
    // Proxies that ask in headers report no runs: given back, a reservation would be a call for free.
    on_expiry: headers["x-sluice-on-expiry"] ?? "charge",
    estimate: {
      cost_usd: headers["x-sluice-estimate-usd"],
      input_tokens: headers["x-sluice-input-tokens"],
      max_output_tokens: headers["x-sluice-max-output-tokens"],
      min_output_tokens: headers["x-sluice-min-output-tokens"],
      units: headers["x-sluice-units"],
    },
  };
}
