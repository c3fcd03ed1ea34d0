import { z } from "zod";
import { planTerms } from "../../contract/resources/plans.ts";
import { timestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

const planInUse = planTerms
  .extend({
    runs_used: z.int(),
    tokens_used: z.int(),
    period_start: timestamp,
    period_end: timestamp.nullable(),
  })
  .meta({ id: "PlanInUse" });

export const getPlan = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/plan",
    summary: "Read your plan and what you have used of it",
    role: "viewer",
    scope: "org:read",
    reply: { 200: planInUse },
    refuses: [],
  },
  (call) => call.org.query("getPlan", {}),
);
