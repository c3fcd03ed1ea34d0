import { PROVIDER_KEY_NAME } from "../../contract/resources/provider-keys.ts";

/** A suffix may be written as it is, or as one segment with the others. */
export const WITH_SUFFIX = ["/v1/orgs/:id/provider-keys/:provider{[^/]+/[^/]+}"];

/** Returns why a name cannot be one. Null if it can. */
export function nameError(provider: string) {
  if (PROVIDER_KEY_NAME.test(provider)) return null;
  return {
    field: "provider",
    code: "invalid_format",
    message: "must be a provider's name of a-z 0-9 -, or that with a suffix, as in openai/eu",
  };
}
