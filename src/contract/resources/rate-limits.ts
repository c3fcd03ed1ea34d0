import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { PRINTABLE_ASCII, SAFE_ID } from "../bounds.ts";
import { EACH, type RateTrait, RATED } from "../dimensions.ts";
import { matchedTags, matchParts } from "./budgets/budget-match.ts";
import type { Unchanging } from "../reply-type.ts";
import { callerId, idShape } from "../ids.ts";
import { name, resetTime, usd, usdInput } from "../shapes.ts";

const ROUTE = /^(GET|POST|PUT|PATCH|DELETE) \/v1\/[\w/{}.:%-]{1,200}$/;
const MOST_POLICIES = 100;
const MOST_EACH = 2;
/** The names that came after keys and customers, of which a policy has one at most. */
const BESIDE = RATED.filter(
  (trait): trait is Exclude<RateTrait, "key_id" | "customer_id"> =>
    trait !== "key_id" && trait !== "customer_id",
);
const LONGEST_WINDOW_SECONDS = 31_622_400;

/** Dollars are counted in nano-dollars, of which a window counts no more than numbers are exact for. */
const MOST_USD = 9_000_000;
const dollars = z.union([z.int().min(0).max(MOST_USD), usdInput]);

const policyFields = z.strictObject({
  name: name.regex(PRINTABLE_ASCII, "must be printable ASCII"),
  match: withRule(
    z.strictObject({
      route: z
        .string()
        .regex(ROUTE, "must be a method and a route template, such as POST /v1/edge/decision")
        .optional(),
      key_id: z.string().regex(SAFE_ID, "must be the id of a key").optional(),
      each_key: z.literal(true).meta({ description: "Counts each key separately." }).optional(),
      customer_id: callerId.meta({ description: '`"*"` counts each customer separately.' }).optional(),
      ...matchParts(BESIDE),
      tags: matchedTags.optional(),
    }),
    ({ tags = {}, each_key: eachKey, ...named }, { complain }) => {
      const parts = [
        ...(eachKey === true ? [{ path: ["each_key"], values: EACH }] : []),
        ...Object.entries(named).map(([trait, values]) => ({ path: [trait], values })),
        ...Object.entries(tags).map(([tag, values]) => ({ path: ["tags", tag], values })),
      ];
      const each = parts.filter(({ values }) => values === EACH);
      for (const { path, values } of parts) {
        if (Array.isArray(values) && values.includes(EACH)) {
          complain(path, "invalid_value", 'may be "*" or a list of values, not both');
        }
      }
      for (const { path } of each.slice(MOST_EACH)) {
        complain(path, "too_many", `makes more than ${MOST_EACH} names that are counted separately`);
      }
    },
  ).meta({
    description:
      'Which calls the policy counts. A call must match every part; `{}` is the whole organization. Beside `route`, `key_id` and `customer_id`, each part is a value or a list of values. A model may end in `*`. `"*"` alone counts each value separately, and no call without one; `each_key` does so for keys. At most two parts can have it.',
  }),
  unit: z.enum(["requests", "tokens", "usd"]).meta({
    description: "`usd`: dollars, a decision by its estimate until its run says what it cost.",
  }),
  limit: z.union([z.int().min(0), usdInput]).meta({
    description: "A whole number. Of dollars also a decimal string, at most 9000000.",
  }),
  limit_usd: usdInput.optional().meta({
    description: "Only for dollars: the limit as replies show it. Takes precedence over `limit`.",
  }),
  window_seconds: z.int().min(1).max(LONGEST_WINDOW_SECONDS),
  kind: z.enum(["rate", "quota"]).meta({
    description:
      "`rate` is a sliding window and refuses with `rate_limited`. `quota` is a fixed window and refuses with `quota_exhausted`.",
  }),
});

/** How replies show a limit, and what it has counted. Of dollars, the whole number is rounded down. */
const shownLimit = {
  limit: z.int(),
  limit_usd: usd.optional().meta({ description: "Only for dollars: the exact amount." }),
};
const shownUsed = {
  used_usd: usd.nullable().optional().meta({ description: "Only for dollars: the exact amount." }),
};

const policyInput = withRule(policyFields, ({ unit, limit, limit_usd: exact }, { complain, isWrong }) => {
  if (exact !== undefined && unit !== undefined && unit !== "usd")
    complain(["limit_usd"], "invalid_value", "must be given for dollars only");
  if (exact !== undefined && Number(exact) > MOST_USD)
    complain(["limit_usd"], "out_of_range", `must be at most ${MOST_USD}`);
  if (unit === undefined || limit === undefined || isWrong("limit")) return;
  if (unit !== "usd") {
    if (typeof limit !== "number") complain(["limit"], "invalid_type", "must be a whole number");
  } else if (!dollars.safeParse(limit).success || Number(limit) > MOST_USD)
    complain(["limit"], "out_of_range", `must be at most ${MOST_USD}`);
});

export const rateLimitsInput = withRule(
  z.strictObject({
    read_rpm: z.int().min(0).nullable().meta({
      description: "GET requests per minute for the whole organization. Null uses the service default.",
    }),
    policies: z.array(policyInput).max(MOST_POLICIES),
  }),
  ({ policies = [] }, { complain }) => {
    const seen = new Set<string>();
    for (const [index, policy] of policies.entries()) {
      const taken = policy?.name;
      if (taken === undefined) continue;
      if (seen.has(taken)) {
        complain(["policies", index, "name"], "duplicate", "is already the name of another policy");
      }
      seen.add(taken);
    }
  },
);
export type NewRateLimits = z.output<typeof rateLimitsInput>;

export const rateLimits = z
  .object({
    read_rpm: z.int().nullable(),
    policies: z.array(z.object({ id: idShape("rlp"), ...policyFields.shape, ...shownLimit })),
  })
  .meta({ id: "RateLimits" });
export type RateLimits = Unchanging<z.output<typeof rateLimits>>;

const usedPolicy = z.object({
  id: idShape("rlp"),
  ...policyFields.shape,
  ...shownLimit,
  ...shownUsed,
  used: z.int().nullable().meta({
    description: "What its current window has counted. Null if it counts each of something separately.",
  }),
  resets_at: resetTime.nullable().meta({
    description: "When a fixed window ends, with the offset `+00:00`. Null for a sliding one.",
  }),
  busiest: z
    .array(z.object({ subject: z.string(), used: z.int(), ...shownUsed }))
    .meta({ description: "The five that use it most, where each of something is counted separately." }),
});

export const ownRateLimits = z
  .object({
    read_rpm: rateLimits.shape.read_rpm,
    effective_read_rpm: z.int().meta({ description: "The read limit in effect." }),
    read_used: z.int().meta({ description: "Reads of the last minute." }),
    policies: z.array(usedPolicy),
  })
  .meta({ id: "OwnRateLimits" });
export type OwnRateLimits = Unchanging<z.output<typeof ownRateLimits>>;
