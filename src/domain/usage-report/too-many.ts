import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { MOST_GROUPS } from "./sums.ts";

export function tooMany(): Refusal<"validation_failed"> {
  const message = `results in more than ${MOST_GROUPS} groups: shorten the range, filter, or group by less`;
  return invalidField("group_by", "too_many", message);
}
