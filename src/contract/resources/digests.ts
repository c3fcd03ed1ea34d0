import * as z from "zod";
import { pageOf } from "../list.ts";
import { DIGEST_PERIODS } from "../lists.ts";
import { timestamp, usd } from "../shapes.ts";
import { unusualDay } from "./unusual-spend.ts";
import { mailAddress } from "./webhooks.ts";

const MOST_RECEIVERS = 10;

const every = z.enum(DIGEST_PERIODS);
const at = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of the day, such as 09:00")
  .meta({ description: "The time of the day, on the first day after the period.", examples: ["09:00"] });
const receiver = z
  .string()
  .min(1)
  .max(254)
  .refine((one) => !one.includes("@") || mailAddress.safeParse(one).success, "must be an email address");
const to = z
  .array(receiver)
  .max(MOST_RECEIVERS)
  .meta({
    description:
      "Ids of webhooks, and email addresses, which confirm themselves first. Empty: it is only an event.",
    examples: [["maya@example.com"]],
  });

export const newDigest = z.strictObject({
  every: every.meta({ description: "Days, weeks from Monday, or months." }),
  at,
  timezone: z.string().default("UTC").meta({ description: "IANA time zone of `at` and of the periods." }),
  to: to.default([]),
});
export type NewDigest = z.output<typeof newDigest>;

export const digestSettings = z
  .object({
    name: z.string(),
    every,
    at: z.string(),
    timezone: z.string(),
    to: z.array(z.string()),
    next_at: timestamp.meta({ description: "When the next one is made." }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "DigestSettings" });
export type DigestSettings = z.output<typeof digestSettings>;
export const digestPage = pageOf(digestSettings);

const line = z.object({
  kind: z.enum(["model", "customer"]),
  name: z.string().nullable().meta({ description: "Null: runs that name none." }),
  spent_usd: usd,
  previous_usd: usd,
});

export const digest = z
  .object({
    name: z.string(),
    from: z.string(),
    to: z.string().meta({ description: "Not included." }),
    spent_usd: usd,
    previous_usd: usd.meta({ description: "What was spent in the period before." }),
    by_model: z.array(line),
    changed_most: z
      .array(line)
      .meta({ description: "Models and customers, by how much their spend changed." }),
    runs_out: z.array(
      z.object({
        limit_id: z.string(),
        name: z.string().nullable(),
        used: z.number(),
        runs_out_at: timestamp.nullable(),
      }),
    ),
    refused: z.array(z.object({ code: z.string(), count: z.int() })),
    unusual: z.array(unusualDay),
  })
  .meta({ id: "Digest" });
export type Digest = z.output<typeof digest>;
