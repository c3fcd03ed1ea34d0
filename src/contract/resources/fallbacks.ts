import * as z from "zod";
import { COUNTED_BY, MATCHED } from "../dimensions.ts";
import { withRule } from "../field-rules.ts";
import { callerId } from "../ids.ts";
import { pageOf } from "../list.ts";
import type { Unchanging } from "../reply-type.ts";
import { underEachField } from "../scopes.ts";
import { optionalOrNull, timestamp, usdProblem } from "../shapes.ts";
import { attribution } from "./decisions/attribution.ts";
import { matchedTags, matchParts } from "./budgets/budget-match.ts";
import { modelName } from "./usage/dimension-shape.ts";

export const FALLBACK_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * The conditions on which a call goes on to the next model: a limit refused it, its provider failed before it answered,
 * or it has no price.
 */
export const FALLBACK_CONDITIONS = ["limit", "provider_error", "no_price"] as const;

const MOST_MODELS = 5;
const PROVIDER = /^[a-z][a-z0-9-]{0,39}$/;

const { model: matchedModel, ...otherParts } = matchParts(MATCHED);

const match = z
  .strictObject({ ...otherParts, model: matchedModel.unwrap(), tags: matchedTags.optional() })
  .meta({
    id: "FallbackMatch",
    description:
      "Which calls it applies to. Each part is a value or a list of values, and a call must match all of them. A model may end in `*`.",
    examples: [{ model: "gpt-4o", workflow_id: "support-bot" }],
  });

const next = z
  .strictObject({
    model: modelName.refine((text) => !text.includes("*"), {
      message: "must be the name of one model",
      params: { code: "invalid_format" },
    }),
    provider: optionalOrNull(
      z.string().regex(PROVIDER, "must be the name of a provider, as in the proxy's paths"),
    ).meta({ description: "Default: the provider of the call." }),
  })
  .meta({ id: "FallbackModel" });

const budgetShare = z.string().refine((text) => isShare(text), {
  message: "must be a share above 0 and at most 1, such as 0.9",
  params: { code: "out_of_range" },
});

function isShare(text: string): boolean {
  return usdProblem(text) === null && Number(text) > 0 && Number(text) <= 1;
}

const conditions = z
  .array(z.enum(FALLBACK_CONDITIONS))
  .max(FALLBACK_CONDITIONS.length)
  .refine((names) => new Set(names).size === names.length, {
    message: "names a condition twice",
    params: { code: "duplicate" },
  })
  .meta({
    description:
      "When the next model is tried: `limit` if a limit refuses the call, `provider_error` if its provider fails before it answers, `no_price` if the model has no price. May be empty with `budget_share`.",
  });

export const newFallback = withRule(
  z.strictObject({
    match,
    then: z.array(next).min(1).max(MOST_MODELS).meta({ description: "The models to try, in this order." }),
    on: conditions,
    budget_share: optionalOrNull(budgetShare).meta({
      description:
        "Calls begin with the first model of the list as soon as a budget or a customer limit that applies to them is used up to this share.",
    }),
  }),
  ({ on, then = [], budget_share: share }, { complain, isWrong }) => {
    if (on?.length === 0 && share === undefined && !isWrong("budget_share"))
      complain(["on"], "empty", "must name a condition, unless there is a budget_share");
    const named = then.map((one) => (one?.model === undefined ? null : nameOf(one)));
    named.forEach((name, at) => {
      if (name !== null && named.indexOf(name) < at)
        complain(["then", at], "duplicate", "is in the list already");
    });
  },
);
export type NewFallback = z.output<typeof newFallback>;

function nameOf({ provider, model }: { provider?: string | undefined; model?: string | undefined }): string {
  return `${provider ?? ""} ${model}`;
}

export const fallback = z
  .object({
    name: z.string(),
    match,
    then: z.array(z.object({ model: z.string(), provider: z.string().nullable() })),
    on: z.array(z.enum(FALLBACK_CONDITIONS)),
    budget_share: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Fallback" });
export type Fallback = Unchanging<z.output<typeof fallback>>;
export const fallbackPage = pageOf(fallback);

/** The facts of a call by which rules apply to it. */
export const callFacts = z.strictObject({
  model: modelName,
  variant: callerId.optional(),
  ...underEachField(callerId.optional()),
  ...attribution,
});
export type CallFacts = z.output<typeof callFacts>;

const rule = z
  .object({
    name: z.string(),
    then: z.array(z.object({ model: z.string(), provider: z.string().nullable() })),
    on: z.array(z.enum(FALLBACK_CONDITIONS)),
    begins: z.boolean().meta({
      description: "Whether calls begin with the list, because a limit is used up to the rule's share.",
    }),
  })
  .meta({ id: "FallbackRule" });
export type FallbackRule = Unchanging<z.output<typeof rule>>;

export const fallbackAnswer = z.object({
  rules: z.array(rule).meta({ description: "The rules that apply to the call, by name." }),
});

/** The facts that a gate needs before it asks. */
export const fallbackFacts = z.object({
  version: z.string().meta({ description: "Changes with the rules." }),
  by: z.array(z.enum(COUNTED_BY)).meta({ description: "The fields of calls that decide which rules apply." }),
  shares: z.boolean().meta({ description: "Whether some rule has a `budget_share`." }),
});
export type FallbackFacts = z.output<typeof fallbackFacts>;
