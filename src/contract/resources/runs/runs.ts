import * as z from "zod";
import { withRule } from "../../field-rules.ts";
import { REPORTED_OUTCOMES } from "../../lists.ts";
import type { Unchanging } from "../../reply-type.ts";
import { pageOf } from "../../list.ts";
import { SAFE_ID, SAFE_ID_TEXT } from "../../bounds.ts";
import { callerId } from "../../ids.ts";
import { byPriceName } from "../../price-names.ts";
import { TRACE_PARENT } from "../../traceparent.ts";
import { attribution } from "../decisions/attribution.ts";
import { modelName, outcome } from "../usage/dimension-shape.ts";
import { MAX_BATCH, MAX_TOKENS } from "../../runs.ts";
import { underEachField } from "../../scopes.ts";
import { freeForm, parseTimestamp, timestamp, timestampInput, usd, usdInput } from "../../shapes.ts";
import {
  MOST_UNITS,
  partAbove,
  TOKEN_CLASSES,
  TOKEN_CLASS_NAMES,
  type TokenClass,
} from "../../token-classes.ts";

export const tokens = z.int().min(0).max(MAX_TOKENS);

type PartField = `${TokenClass}_tokens`;

function parts<Shape extends z.ZodType>(shape: (name: TokenClass) => Shape): Record<PartField, Shape> {
  const fields = TOKEN_CLASS_NAMES.map((name) => [`${name}_tokens`, shape(name)] as const);
  return Object.fromEntries(fields) as Record<PartField, Shape>;
}

const usageInput = withRule(
  z.strictObject({
    input_tokens: tokens.meta({ description: "All input tokens, parts included." }),
    output_tokens: tokens.meta({ description: "All output tokens, parts included." }),
    ...parts((name) =>
      tokens
        .optional()
        .meta({ description: `A part of ${TOKEN_CLASSES[name]}_tokens. Parts do not overlap.` }),
    ),
    units: byPriceName(tokens, MOST_UNITS)
      .optional()
      .meta({ description: "Counts of what is priced by the unit, such as `web_search`." }),
  }),
  (usage, { complain }) => {
    for (const total of ["input", "output"] as const) {
      const part = partAbove(total, usage);
      if (part === null) continue;
      complain([part], "out_of_range", `exceeds ${total}_tokens, together with the parts before it`);
    }
  },
);

export const chain = z.strictObject({ chain_id: callerId, parent_run_id: callerId.optional() });

export const runInput = withRule(
  z.strictObject({
    id: callerId
      .optional()
      .meta({ description: "Your id, unique in your organization. Generated if omitted." }),
    started_at: timestampInput,
    ended_at: timestampInput.optional(),
    model: modelName,
    action: callerId.optional(),
    ...underEachField(callerId.optional()),
    ...attribution,
    chain: chain.optional(),
    usage: usageInput,
    variant: callerId.optional().meta({
      description: "The variant of the model's price, such as `batch`. If omitted: the standard rates.",
    }),
    cost_usd: usdInput
      .optional()
      .meta({ description: "If omitted, the usage is priced from the price book." }),
    reservation_id: z
      .string()
      .regex(SAFE_ID, SAFE_ID_TEXT)
      .optional()
      .meta({ description: "The reservation that this run settles." }),
    incurred: z.boolean().optional().meta({
      description:
        "True if the cost was already incurred. The run is then recorded even if it exceeds a limit.",
    }),
    input: z.unknown().optional().meta({ description: "Scanned by content safety detectors. Never stored." }),
    approval_id: z.string().regex(SAFE_ID, SAFE_ID_TEXT).optional(),
    outcome: z
      .enum(REPORTED_OUTCOMES)
      .optional()
      .meta({ description: "How the run ended. If omitted: `completed`." }),
    estimated: z
      .boolean()
      .optional()
      .meta({ description: "True if usage and cost are estimates, such as after a stream was cut off." }),
    requested_model: modelName
      .optional()
      .meta({ description: "The model that was asked for, if a fallback chose another model or provider." }),
    fallback: callerId.optional().meta({ description: "The name of the fallback that chose the model." }),
    traceparent: z
      .string()
      .regex(TRACE_PARENT, "must be a traceparent of W3C Trace Context")
      .optional()
      .meta({
        description:
          "The trace and span that the run belongs to, for exports of spans. If omitted: the `traceparent` header of the request. Not returned.",
        examples: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
      }),
    metadata: freeForm
      .optional()
      .meta({ description: "Anything that you want to keep with the run. It is returned as it was sent." }),
  }),
  ({ started_at: startedAt, ended_at: endedAt }, { complain }) => {
    if (startedAt === undefined || endedAt === undefined) return;
    const from = parseTimestamp(startedAt);
    const to = parseTimestamp(endedAt);
    if (from === null || to === null || to >= from) return;
    complain(["ended_at"], "out_of_range", "must not be before started_at");
  },
).meta({ id: "RunInput" });
export type RunInput = z.output<typeof runInput>;

const charge = z.object({
  kind: z.string(),
  id: z.string(),
  amount_usd: usd.optional(),
  over_usd: usd.optional().meta({ description: "The part that exceeded the limit." }),
  amount: z.number().optional().meta({ description: "Number of runs or tokens." }),
  over: z.number().optional(),
});

const costEntry = z.object({
  class: z.string().meta({ description: "A class of tokens, or the name of a unit." }),
  quantity: z.int(),
  usd_per_mtok: z
    .string()
    .optional()
    .meta({ description: "Dollars per million tokens, with the variant's factor." }),
  usd_each: z.string().optional().meta({ description: "Dollars for one unit." }),
  cost_usd: usd,
});

export const denial = z
  .object({ status: z.int(), code: z.string(), details: z.record(z.string(), z.unknown()) })
  .meta({ id: "Denial" });

export const run = z
  .object({
    id: z.string(),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
    model: z.string(),
    action: z.string().nullable(),
    ...underEachField(z.string().nullable()),
    user_id: z.string().nullable(),
    provider: z.string().nullable(),
    key_id: z
      .string()
      .nullable()
      .meta({ description: "The key that reported the run. Null for runs from before it was stored." }),
    tags: z.record(z.string(), z.string()),
    chain: z
      .object({
        chain_id: z.string(),
        parent_run_id: z.string().nullable(),
        depth: z.int().meta({ description: "Position in the chain. The first run has depth 1." }),
      })
      .nullable(),
    usage: z.object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      ...parts(() => z.int().optional()),
      units: z.record(z.string(), z.int()).optional(),
    }),
    variant: z.string().nullable(),
    cost_usd: usd,
    cost_source: z
      .enum(["caller", "price_book"])
      .meta({ description: "`caller`: the run was reported with its cost." }),
    price_revision: z
      .int()
      .nullable()
      .meta({ description: "The revision of the model's price. Null if the caller gave the cost." }),
    cost_breakdown: z
      .array(costEntry)
      .nullable()
      .meta({ description: "Adds up to `cost_usd`. Null if the caller gave the cost." }),
    adjusted_usd: usd.meta({
      description:
        "The sum of the run's adjustments. Negative: given back. `cost_usd` stays as it was recorded.",
    }),
    net_cost_usd: usd.meta({ description: "`cost_usd` with all adjustments." }),
    reservation_id: z.string().nullable(),
    incurred: z.boolean(),
    approval_id: z.string().nullable(),
    outcome: outcome.meta({
      description:
        "`unreported`: its reservation expired with `on_expiry: charge` and no run has settled it yet.",
    }),
    estimated: z.boolean().meta({ description: "True if the cost is an estimate, or what was reserved." }),
    requested_model: z
      .string()
      .nullable()
      .meta({ description: "The model that was asked for, if a fallback chose another model or provider." }),
    fallback: z.string().nullable().meta({ description: "The name of the fallback that chose the model." }),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    recorded_at: timestamp,
    charged_at: timestamp.meta({ description: "The run is charged to the periods that contain this time." }),
    charges: z.array(charge).meta({ description: "What the run took from each limit." }),
    uncovered_usd: usd.nullable().meta({ description: "What the customer's credits could not cover." }),
    shadow: z.array(denial).meta({ description: "Limits in shadow mode that would have refused." }),
  })
  .meta({ id: "Run" });
export type RunResource = Unchanging<z.output<typeof run>>;

export const runPage = pageOf(run);

export const runBatch = z.strictObject({ runs: z.array(runInput).min(1).max(MAX_BATCH) });

const result = z.object({
  index: z.int(),
  id: z.string().nullable(),
  status: z.enum(["accepted", "duplicate", "rejected"]),
  error: z
    .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) })
    .optional(),
});

export const recordedRuns = z.object({
  accepted: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
  results: z.array(result),
});
