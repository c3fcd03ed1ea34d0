import { z } from "zod";
import { usdInput } from "../../contract/shapes.ts";
import { parseUsd } from "../../domain/money.ts";
import { operation } from "../../edge/operation.ts";
import { quota } from "../../contract/resources/quota.ts";

const amount = usdInput.refine((text) => parseUsd(text) !== 0n, {
  message: "must be more than 0",
  params: { code: "out_of_range" },
});

export const topUpQuota = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/quota/top-ups",
    summary: "Top up the prepaid balance",
    role: "operator",
    scope: "quota:write",
    idempotent: true,
    body: z.strictObject({ amount_usd: amount }),
    reply: { 201: quota },
    refuses: [],
  },
  (call) => call.org.command("topUpQuota", call.body),
);
