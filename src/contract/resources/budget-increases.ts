import * as z from "zod";
import { timestampInput } from "../shapes.ts";
import { limitInput } from "./budgets/budgets.ts";

const MOST_REASON_CHARACTERS = 500;

export const newIncrease = z.strictObject({
  amount: limitInput.meta({
    description:
      "What is added to the limit: dollars as a decimal string, or a whole number of tokens or runs.",
    examples: ["250.00"],
  }),
  until: timestampInput.meta({ description: "When it ends by itself, at most 366 days from now." }),
  reason: z.string().min(1).max(MOST_REASON_CHARACTERS),
});
export type NewIncrease = z.output<typeof newIncrease>;
