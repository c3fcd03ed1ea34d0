import { z } from "zod";
import { idShape } from "../../contract/ids.ts";
import { name, timestamp, usd } from "../../contract/shapes.ts";
import { parseUsd } from "../../domain/money.ts";
import { PERIODS } from "../../domain/period.ts";

export const BUDGET_SCOPES = ["org", "workflow", "deployment", "department"] as const;
export const BUDGET_MODES = ["enforce", "shadow"] as const;
export const period = z.enum(PERIODS);

/** Shares of a limit; facts may bring spending past the whole of it, so more than one may be asked for. */
export const alertThresholds = z
  .array(
    z.string().refine((text) => isShare(text), {
      message: "must be a share of the limit above 0 and at most 10, such as 0.8",
      params: { code: "out_of_range" },
    }),
  )
  .max(10)
  .meta({ description: "Each is announced once per period.", examples: [["0.8", "1"]] });

function isShare(text: string): boolean {
  const share = parseUsd(text);
  return share !== null && share > 0n && share <= 10_000_000_000n;
}

export const budget = z
  .object({
    id: idShape("bud"),
    name: name.nullable(),
    scope_kind: z.enum(BUDGET_SCOPES),
    scope_id: z.string().nullable(),
    limit_usd: usd,
    period,
    mode: z.enum(BUDGET_MODES),
    alert_thresholds: z.array(z.string()),
    spent_usd: usd,
    reserved_usd: usd,
    available_usd: usd,
    period_start: timestamp,
    period_end: timestamp.nullable(),
    status: z.enum(["active", "exhausted"]),
    created_at: timestamp,
  })
  .meta({ id: "Budget" });
