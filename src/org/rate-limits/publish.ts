import { DUE } from "../kernel/due-kinds.ts";
import { publishRateLimits } from "../../platform/rate-limits.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { loadRateLimits } from "./store.ts";

/** Copies the limits to their rows in D1. The row stays due until that has succeeded. */
export const publishRates: DueHandler = {
  kind: "work",
  async run(context) {
    const { storage, env } = context;
    await publishRateLimits(env.DB, context.view().orgId, loadRateLimits(storage.sql));
    scheduleDue(storage.sql, DUE.publishRateLimits, "", null);
  },
};
