import * as z from "zod";
import { KEPT_CODES, SUMMARY_GROUPS } from "../kept-refusals.ts";
import { idShape } from "../ids.ts";
import { pageOf } from "../list.ts";
import { underEachStatedField } from "../scopes.ts";
import { timestamp, usd } from "../shapes.ts";

export const keptRefusal = z
  .object({
    id: idShape("ref"),
    at: timestamp,
    trace_id: z.string().meta({ description: "The `x-svc-trace-id` of the response." }),
    decided: z
      .enum(["edge", "object"])
      .meta({ description: "`edge`: refused in the isolate that got the request." }),
    operation: z.string().meta({ examples: ["POST /v1/edge/decision"] }),
    status: z.int(),
    code: z.string(),
    details: z.record(z.string(), z.unknown()).meta({
      description: "The details of the error, without the excerpt of a content safety detector.",
    }),
    limit: z.string().meta({ description: "The id of the limit, rule or detector that refused." }),
    key_id: z.string().nullable(),
    model: z.string().nullable(),
    ...underEachStatedField(z.string().nullable()),
    user_id: z.string().nullable(),
    amount_usd: usd
      .nullable()
      .meta({ description: "What was asked for. Null if the call was refused before its body was read." }),
  })
  .meta({ id: "KeptRefusal" });
export type KeptRefusal = z.output<typeof keptRefusal>;

export const keptRefusalPage = pageOf(keptRefusal);

export const keptCode = z.enum(KEPT_CODES);
export const summaryGroup = z.enum(SUMMARY_GROUPS);

export const refusalSummary = z
  .object({
    from: timestamp,
    to: timestamp,
    group_by: summaryGroup.nullable(),
    count: z.int(),
    amount_usd: usd,
    data: z
      .array(
        z.object({
          hour: timestamp.meta({ description: "The start of the hour." }),
          group: z
            .string()
            .nullable()
            .meta({ description: "The value of `group_by`. Null if there was none." }),
          is_other: z
            .boolean()
            .meta({ description: "True for customers or workflows that are counted together." }),
          count: z.int(),
          amount_usd: usd,
        }),
      )
      .meta({ description: "Newest hour first, then most refusals first." }),
  })
  .meta({ id: "RefusalSummary" });
