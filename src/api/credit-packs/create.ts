import { z } from "zod";
import { callerId } from "../../contract/ids.ts";
import { parseTimestamp, timestampInput, usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { creditPack } from "../../contract/resources/credit-packs.ts";

const newPack = z
  .strictObject({
    customer_id: callerId.refine((id) => id !== "*", {
      message: "must name one customer",
      params: { code: "invalid_value" },
    }),
    amount_usd: usdInput,
    priority: z.int().min(0).max(1000).default(100).meta({ description: "Lower is drawn first." }),
    effective_at: timestampInput.optional(),
    expires_at: timestampInput.optional(),
  })
  .superRefine((pack, context) => {
    if (pack.effective_at === undefined || pack.expires_at === undefined) return;
    if ((parseTimestamp(pack.expires_at) ?? 0) > (parseTimestamp(pack.effective_at) ?? 0)) return;
    context.addIssue({
      code: "custom",
      path: ["expires_at"],
      message: "must be after effective_at",
      params: { code: "out_of_range" },
    });
  });

export const createCreditPack = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/credit-packs",
    summary: "Grant credits to a customer",
    description:
      "Drawn by priority, then expiry, then age. A customer with a live pack is refused what its packs cannot cover.",
    role: "admin",
    scope: "credits:write",
    idempotent: true,
    body: newPack,
    reply: { 201: creditPack },
    refuses: [],
  },
  (call) => call.org.command("createCreditPack", call.body),
);
