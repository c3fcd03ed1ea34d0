import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { CALLER_ID_MOST_CHARACTERS, LEASE_VERSION, TOUCH_MOST_CHARACTERS } from "../bounds.ts";
import { COUNTED_BY } from "../dimensions.ts";
import { DETAILS } from "../error-details.ts";
import { callerId } from "../ids.ts";
import { DECISION_CODES } from "../limit-codes.ts";
import { DECISION_CHECKS, EXPIRY_ACTIONS, type UnsettledReason } from "../lists.ts";
import { underEachField, underEachStatedField } from "../scopes.ts";
import { TRACE_PARENT } from "../traceparent.ts";
import { decisionAsk } from "./decisions/decisions.ts";
import { fallbackFacts } from "./fallbacks.ts";
import { modelName } from "./usage/dimension-shape.ts";
import { tokens } from "./runs/runs.ts";

const MOST_HOLDS = 6000;
const MOST_LIMITS = 5000;
const MOST_NOTES = 2000;
const MOST_SUMS = 600;
/** More calls than a gate refuses between two reports. */
const MOST_COUNTED = 10_000_000;
const MOST_DETAIL_CHARACTERS = 2000;
/** The refusals that a gate can make by itself. */
const GATE_REFUSALS = ["rate_limited", ...DECISION_CODES] as const;
/** An id, or an ellipsis for all that are not listed separately. */
const nameOrOthers = z
  .string()
  .max(CALLER_ID_MOST_CHARACTERS)
  .regex(/^([\x20-\x7e]+|…)$/, "must be an id, or an ellipsis for all others");

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const lost = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const amount = z.string().regex(/^\d{1,18}$/, "must be a whole number of at most 18 digits");
const limitKey = z.string().min(1).max(1024).meta({ description: "As a touch or a reply names it." });

const { model, action, variant, approval_id, user_id, provider, tags } = decisionAsk.shape;

const heldCall = z
  .strictObject({
    model,
    action,
    ...underEachField(callerId.optional()),
    variant,
    approval_id,
    user_id,
    provider,
    tags,
    chain_id: callerId.optional(),
    on_expiry: z
      .enum(EXPIRY_ACTIONS)
      .optional()
      .meta({
        description: "`release`: the holds are given back when they expire. If omitted, they are charged.",
        examples: ["release"],
      }),
  })
  .meta({
    description:
      "The names under which the calls were made. Their runs have the same, and so do those that holds become which are charged when they expire. Where a limit looks at a call, the touch says it. If omitted, the holds are given back when they expire.",
  });

const heldLines = z.strictObject({
  touch: count.meta({ description: "Which of `touches` the holds were made against." }),
  call: heldCall.optional(),
  inputs: z
    .array(tokens)
    .max(MOST_HOLDS)
    .optional()
    .meta({ description: "With `call`: how many of the tokens in each line are input. If omitted: none." }),
  lines: z
    .array(
      z
        .string()
        .regex(/^rsv_[0-9A-HJKMNP-TV-Z]{26}\d{26}\d{1,16}( \d{1,13})?$/, "is not the line of a hold")
        .meta({
          description:
            "A hold in fixed places: its id (30 characters), when it was made and when it ends (13 digits each, milliseconds), its amount in nano-dollars, and after a space the tokens that rate limits count of it. With `call`, it has all of its tokens.",
        }),
    )
    .max(MOST_HOLDS),
});

const batch = z.strictObject({
  number: count.meta({ description: "From 1, without a gap: the service takes each batch once." }),
  holds: z.array(heldLines).max(1000),
});

const want = z.strictObject({
  key: limitKey,
  left: amount.meta({ description: "What the gate keeps of its slice. It gives back the rest." }),
  want: amount.meta({ description: "What it expects to use until the next exchanges." }),
  least: amount.meta({ description: "Its largest single call lately." }),
});

const refusedCode = z.enum(GATE_REFUSALS);
const refusedLimit = z.string().min(1).max(128).meta({ description: "The id of the limit that refused." });

const traceParent = z
  .string()
  .regex(TRACE_PARENT, "must be a traceparent of W3C Trace Context")
  .optional()
  .meta({
    description: "The trace and span of the call, for exports of spans. Only where `sends_spans` is true.",
    examples: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
  });

const refusedCall = withRule(
  z.strictObject({
    at: count.meta({ description: "When, by the organization's clock, in milliseconds." }),
    trace: z.string().regex(/^[0-9a-f-]{36}$/, "must be a UUID"),
    code: refusedCode,
    limit: refusedLimit,
    details: z.looseObject({}).meta({ description: "The details of the refusal, as the gate gave them." }),
    nanos: amount.nullable().meta({ description: "The amount in nano-dollars. Null if it was not known." }),
    model: modelName.optional(),
    ...underEachStatedField(callerId.optional()),
    user_id: callerId.optional(),
    traceparent: traceParent,
  }),
  ({ code, details }, { complain }) => {
    if (code === undefined || details === undefined) return;
    const fits =
      JSON.stringify(details).length <= MOST_DETAIL_CHARACTERS && DETAILS[code].safeParse(details).success;
    if (!fits) complain(["details"], "invalid_value", `must be the details of ${code}`);
  },
);

const refusedSum = z.strictObject({
  hour: count,
  count: count.min(1),
  nanos: amount,
  code: refusedCode,
  limit: refusedLimit,
  customer_id: nameOrOthers.optional(),
  workflow_id: nameOrOthers.optional(),
});

const refusedCalls = withRule(
  z.strictObject({
    number: count.min(1).meta({ description: "From 1, without a gap: the service takes each batch once." }),
    notes: z.array(refusedCall).max(MOST_NOTES),
    more: z
      .array(refusedSum)
      .max(MOST_SUMS)
      .meta({ description: "Exact sums of refusals that are not listed one by one." }),
  }),
  ({ more = [] }, { complain }) => {
    if (more.reduce((sum, one) => sum + (one?.count ?? 0), 0) <= MOST_COUNTED) return;
    complain(["more"], "too_many", `must count at most ${MOST_COUNTED} refusals`);
  },
).meta({ description: "What the gate refused by itself. The service keeps it with its own refusals." });
export type RefusedCalls = z.output<typeof refusedCalls>;

const leaseReport = z.strictObject({
  attempt: count.meta({ description: "From 1: one exchange at a time, each with the next number." }),
  touches: z
    .array(z.string().max(TOUCH_MOST_CHARACTERS))
    .max(1000)
    .meta({ description: "Touches that the service has given to this key, unchanged." }),
  batches: z.array(batch).max(1000),
  wants: z.array(want).max(MOST_LIMITS),
  renews: count.optional().meta({
    description:
      "How many slices the gate keeps that `wants` does not name. They are renewed as they are. Without it they are given back.",
  }),
  watch: z.array(limitKey).max(MOST_LIMITS).meta({ description: "Limits to hear about." }),
  refusals: refusedCalls.optional(),
});
export type LeaseReport = z.output<typeof leaseReport>;

/** The exchange between a gate in the caller's own process and the service. */
export const leaseExchange = withRule(
  z.strictObject({
    version: z.literal(
      LEASE_VERSION,
      `must be ${LEASE_VERSION}, the version of the exchange that this service knows`,
    ),
    holder: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,64}$/, "must be 8 to 64 letters, digits, hyphens or underscores")
      .meta({ description: "Names the gate. No other gate of the key may ever have the same name." }),
    ask: decisionAsk.optional().meta({ description: "A decision that the gate cannot make by itself." }),
    traceparent: traceParent,
    learn: z.boolean().optional().meta({ description: "Also say what decisions like this one touch." }),
    report: leaseReport.optional(),
    ids: z.int().min(0).max(1000).optional().meta({ description: "How many new reservation ids to send." }),
    ungoverned: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().meta({
      description:
        "Calls that the gate let pass while the service could not be reached, since the last exchange.",
    }),
    unsettled: z
      .strictObject({
        rejected: lost.optional(),
        overflow: lost.optional(),
        expired: lost.optional(),
      } satisfies Record<UnsettledReason, z.ZodType>)
      .optional()
      .meta({
        description:
          "Calls that were made and whose runs the gate has dropped, since the last exchange, by reason.",
      }),
  }),
  ({ report }, { complain }) => {
    const lines = (report?.batches ?? []).flatMap((one) => one?.holds ?? []);
    if (lines.reduce((sum, one) => sum + (one?.lines?.length ?? 0), 0) <= MOST_HOLDS) return;
    complain(["report", "batches"], "too_many", `must have at most ${MOST_HOLDS} holds`);
  },
);
export type LeaseExchange = z.output<typeof leaseExchange>;

export const leaseReply = z
  .object({
    version: z.literal(LEASE_VERSION),
    valid_ms: z.int().meta({
      description: "For how long, from when it asked, the gate may decide by what this reply says.",
    }),
    checks: z
      .enum(DECISION_CHECKS)
      .meta({ description: "What decisions of the organization are checked against by default." }),
    on_expiry: z
      .enum(EXPIRY_ACTIONS)
      .meta({ description: "What happens by default to reservations that are not settled." }),
    counted_by: z.array(z.enum(COUNTED_BY)).meta({
      description:
        "The fields of calls that limits of the organization count by, in alphabetical order. Limits of chains are not among them.",
    }),
    scans_input: z.boolean().meta({ description: "Whether content safety reads the input of calls." }),
    sends_spans: z.literal(true).optional().meta({
      description:
        "Whether runs are sent on as spans, so that a run's `traceparent` is of use. Absent: they are not.",
    }),
    fallbacks: fallbackFacts
      .optional()
      .meta({ description: "What decides which fallbacks apply to calls. Absent: there are none." }),
    ids: z.array(z.string()).meta({ description: "Reservation ids for the gate to use, each once." }),
    refused: z
      .array(z.string())
      .meta({ description: "Reported holds that no slice of this gate covers. They do not exist." }),
    verdict: z
      .looseObject({})
      .nullable()
      .meta({ description: "The answer to `ask`, and what the gate may learn from it." }),
    leases: z
      .looseObject({})
      .nullable()
      .meta({ description: "What was added to each slice. Null for a report that came late or twice." }),
  })
  .meta({ id: "LeaseReply" });
export type LeaseReply = z.output<typeof leaseReply>;
