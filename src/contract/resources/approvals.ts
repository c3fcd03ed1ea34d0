import * as z from "zod";
import { SHOWN_METADATA_CHARACTERS } from "../bounds.ts";
import { idShape } from "../ids.ts";
import { underEachField } from "../scopes.ts";
import { freeForm, timestamp, usd } from "../shapes.ts";

export const APPROVAL_STATUSES = ["pending", "approved", "used", "denied", "expired"] as const;

export const approval = z
  .object({
    id: idShape("apr"),
    rule_id: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    reason: z.string(),
    attempted: z.string(),
    attempt: z.object({
      model: z.string(),
      action: z.string().nullable(),
      ...underEachField(z.string().nullable()),
      chain: z
        .object({ chain_id: z.string(), parent_run_id: z.string().nullable() })
        .nullable()
        .meta({ description: "Null for an attempt outside a chain." }),
      variant: z.string().nullable(),
      metadata: freeForm.nullable().meta({
        description: `Null if the attempt has none, or if it is longer than ${SHOWN_METADATA_CHARACTERS} characters.`,
      }),
      metadata_omitted: z.boolean().meta({ description: "True if the metadata is too long to be shown." }),
      cost_usd: usd,
      input_tokens: z.int(),
      output_tokens: z.int(),
    }),
    requested_by: z.string(),
    requested_at: timestamp,
    expires_at: timestamp,
    decided_by: z.string().nullable(),
    decided_at: timestamp.nullable(),
    used_at: timestamp.nullable(),
    note: z.string().nullable().meta({ description: "What whoever decided wrote about it." }),
  })
  .meta({ id: "Approval" });
export type ApprovalResource = z.output<typeof approval>;

const MOST_NOTE_CHARACTERS = 500;

/** The body of the decision about an approval. */
export const approvalDecision = z.strictObject({
  note: z
    .string()
    .min(1)
    .max(MOST_NOTE_CHARACTERS)
    .optional()
    .meta({
      description: "Why, for the audit trail and for whoever asked.",
      examples: ["Agreed with Finance."],
    }),
});
