import * as z from "zod";
import { SENSITIVITIES, UNUSUAL_KINDS } from "../lists.ts";
import { momentInput } from "../list.ts";
import { usd } from "../shapes.ts";

export const unusualSettings = z
  .strictObject({
    sensitivity: z.enum(SENSITIVITIES).meta({
      description: "How far outside of the forecast's range spend must be. `off`: nothing is announced.",
      examples: ["normal"],
    }),
  })
  .meta({ id: "UnusualSpendSettings" });
export type UnusualSettings = z.output<typeof unusualSettings>;

const date = momentInput.meta({ description: "A day in UTC.", examples: ["2026-11-01"] });

export const unusualQuery = z.strictObject({
  from: date.optional().meta({ description: "Default: 7 days before `to`." }),
  to: date.optional().meta({ description: "Not included. Default: tomorrow." }),
});

export const unusualDay = z
  .object({
    subject_kind: z.enum(UNUSUAL_KINDS),
    subject_id: z.string().nullable().meta({ description: "Null for the organization." }),
    date: z.string(),
    hour: z
      .string()
      .nullable()
      .meta({
        description:
          "When the hour began that is unusual: the figures are of it. Null: the day as a whole is unusual, and the figures are of the day.",
        examples: ["2026-11-16T14:00:00.000Z", null],
      }),
    direction: z.enum(["above", "below"]),
    spent_usd: usd,
    expected_usd: usd,
    low_usd: usd.meta({ description: "The forecast's range: four days in five are inside of it." }),
    high_usd: usd,
  })
  .meta({ id: "UnusualSpend" });

export const unusualList = z
  .object({
    from: z.string(),
    to: z.string(),
    sensitivity: z.enum(SENSITIVITIES),
    complete: z.boolean().meta({
      description:
        "Whether keys, users and hours were looked at, too. Where about 100,000 runs or more of the last 35 days are not counted by hour yet, they are counted in the background, from the first time that this is asked, and kept up to date for as long as somebody asks once a week. Until then, and where archived runs cannot be read, it is false.",
    }),
    data: z.array(unusualDay),
  })
  .meta({ id: "UnusualSpendList" });
