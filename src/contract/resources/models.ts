import { z } from "zod";
import { timestamp, usd, usdInput } from "../shapes.ts";

export const model = z
  .object({
    model: z.string(),
    input_usd_per_mtok: usd.meta({ description: "Price per million input tokens." }),
    output_usd_per_mtok: usd.meta({ description: "Price per million output tokens." }),
    regions: z
      .array(z.string())
      .nullable()
      .meta({ description: "Regions that serve the model. Null for all regions." }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Model" });
export type Model = z.output<typeof model>;

export const newModel = z.strictObject({
  input_usd_per_mtok: usdInput,
  output_usd_per_mtok: usdInput,
  regions: z
    .array(z.string().regex(/^[a-z0-9-]{1,32}$/))
    .max(100)
    .optional(),
});
export type NewModel = z.output<typeof newModel>;
