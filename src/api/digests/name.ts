import { invalidField } from "../../contract/refusal.ts";
import { DIGEST_NAME } from "../../contract/resources/digests.ts";

/** Null if it can be the name of a digest. */
export function nameProblem(name: string) {
  return DIGEST_NAME.test(name)
    ? null
    : invalidField("name", "invalid_format", "must be 1 to 64 characters of a-z, 0-9, _ and -");
}
