import { FALLBACK_NAME } from "../../contract/resources/fallbacks.ts";
import type { FieldError } from "../../contract/error-details.ts";

/** Returns why a name cannot be one. Null if it can. */
export function nameError(name: string): FieldError | null {
  if (FALLBACK_NAME.test(name)) return null;
  return {
    field: "name",
    code: "invalid_format",
    message: "must be 1 to 64 characters of a-z 0-9 _ -, and begin with a letter or digit",
  };
}
