import * as z from "zod";
import { idShape } from "../ids.ts";
import { timestamp, usd } from "../shapes.ts";
import { callerId } from "../ids.ts";
import { modelName } from "./usage/dimension-shape.ts";

/** LiteLLM's Generic Guardrail API: its fields, of which null means absent. It may add others, which are not read. */

const named = callerId.nullish();
const list = z.array(z.unknown()).nullish();

export const guardrailAsk = z.object({
  input_type: z
    .enum(["request", "response"])
    .meta({ description: "Only a request is decided. A response has been paid for already." }),
  texts: z.array(z.string()).nullish(),
  structured_messages: list,
  images: list,
  tools: list,
  tool_calls: list,
  model: modelName.nullish(),
  litellm_call_id: named.meta({
    description: "Not read: callers of LiteLLM choose it, and one id could stand for many calls.",
  }),
  litellm_trace_id: z.string().nullish(),
  litellm_version: z.string().nullish(),
  request_data: z
    .object({
      user_api_key_user_id: named.meta({ description: "The user, if no header names one." }),
      user_api_key_team_id: named.meta({ description: "The department, if no header names one." }),
      user_api_key_end_user_id: named.meta({ description: "The customer, if no header names one." }),
    })
    .nullish(),
  request_headers: z.record(z.string(), z.unknown()).nullish(),
  additional_provider_specific_params: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: "Not read: LiteLLM lets its callers override them." }),
});
export type GuardrailAsk = z.output<typeof guardrailAsk>;

export const guardrailReply = z
  .object({
    action: z.enum(["NONE", "BLOCKED"]).meta({ description: "`NONE` lets the call pass unchanged." }),
    blocked_reason: z.string().optional(),
    error: z
      .object({ code: z.string(), message: z.string(), details: z.looseObject({}) })
      .optional()
      .meta({ description: "What refused the call, as a decision returns it." }),
    decision_id: idShape("dec").optional(),
    reservation: z
      .object({ id: idShape("rsv"), amount_usd: usd, expires_at: timestamp })
      .nullable()
      .optional(),
  })
  .meta({ id: "GuardrailReply" });
export type GuardrailReply = z.output<typeof guardrailReply>;
