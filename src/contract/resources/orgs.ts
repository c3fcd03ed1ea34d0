import * as z from "zod";
import { idShape } from "../ids.ts";
import { DECISION_CHECKS, EXPIRY_ACTIONS } from "../lists.ts";
import { name, timestamp, timestampInput } from "../shapes.ts";

const checks = z.enum(DECISION_CHECKS);
const onExpiry = z.enum(EXPIRY_ACTIONS);

export const org = z
  .object({
    id: idShape("org"),
    name,
    status: z.enum(["active", "suspended"]),
    plan: z.string(),
    environment: z.enum(["live", "test"]),
    home_region: z.string(),
    ip_allow_list: z.array(z.string()).meta({ description: "CIDR blocks. Empty allows every address." }),
    decision_defaults: z.object({ checks, on_expiry: onExpiry }).optional().meta({
      description: "What decisions do that do not say it themselves. Omitted in lists.",
    }),
    created_at: timestamp,
  })
  .meta({ id: "Org" });
export type Org = z.output<typeof org>;

export const createdOrg = z.object({
  org,
  owner_key: z.string().meta({ description: "Returned only in this response." }),
});
export type CreatedOrg = z.output<typeof createdOrg>;

export const newOrg = z.strictObject({
  name,
  plan: z.string().min(1).max(64).default("standard"),
  home_region: z.string().min(1).max(32).optional(),
  environment: z.enum(["live", "test"]).default("live"),
});

export const orgChangeByOperator = z.strictObject({
  name: name.optional(),
  plan: z.string().min(1).max(64).optional(),
});

export const importedOrg = z.object({
  org_id: idShape("org"),
  archive_id: idShape("bak"),
  home_region: z.string(),
  imported: z.boolean().meta({ description: "False if this archive had been imported before." }),
});

export const orgMove = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(32)
    .meta({ description: "The region that becomes the organization's home.", examples: ["us"] }),
  archive_copied: z
    .boolean()
    .optional()
    .meta({
      description:
        "Says that you have copied the organization's files in the archive to the other region's bucket. Then its archived runs are not copied, and no file is deleted.",
      examples: [true],
    }),
});

export const stayedOrg = z.object({ org_id: idShape("org"), home_region: z.string() });

export const movedOrg = z.object({
  org_id: idShape("org"),
  from_region: z.string(),
  home_region: z.string(),
  moved: z.boolean().meta({ description: "False if its home was there already." }),
  archive_id: z.string().nullable(),
  writes_waited_ms: z.int().meta({ description: "How long writes waited." }),
});
export type MovedOrg = z.output<typeof movedOrg>;

export const restoration = z.strictObject({ at: timestampInput });

export const restoredOrg = z.object({
  org,
  restored_to: timestamp,
  undo_bookmark: z.string().meta({ description: "The platform's name of the state before." }),
});

export const clockAdvance = z.strictObject({ advance_seconds: z.int().min(1).max(315_360_000) });

export const clockNow = z.object({ now: timestamp });

export const orgChange = z.strictObject({
  name: name.optional(),
  ip_allow_list: z.array(z.string().max(64)).max(200).optional(),
  decision_defaults: z
    .strictObject({ checks: checks.optional(), on_expiry: onExpiry.optional() })
    .optional()
    .meta({ description: "A field that is omitted keeps its value." }),
});
