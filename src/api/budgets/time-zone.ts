import type { Findings } from "../../contract/field-rules.ts";
import { isTimeZone } from "../../domain/time/zone.ts";

/** A rule about a budget's time zone. */
export function checkTimeZone({ timezone }: { timezone?: string | undefined }, { complain }: Findings): void {
  if (timezone === undefined || isTimeZone(timezone)) return;
  complain(["timezone"], "invalid_value", "must be an IANA time zone, such as Europe/Berlin");
}
