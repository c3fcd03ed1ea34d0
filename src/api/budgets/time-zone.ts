import type * as z from "zod";
import { isTimeZone } from "../../domain/zone.ts";

/** A refinement of a budget's time zone. */
export function checkTimeZone(
  { timezone }: { timezone?: string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (timezone === undefined || isTimeZone(timezone)) return;
  const message = "must be an IANA time zone, such as Europe/Berlin";
  context.addIssue({ code: "custom", path: ["timezone"], message, params: { code: "invalid_value" } });
}
