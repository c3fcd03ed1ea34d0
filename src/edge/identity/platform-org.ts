import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";

/**
 * Returns why nothing that signs in is made for this org. The platform's own org is opened by the operator key alone.
 */
export function refusePlatformAccess(orgId: string): Refusal<"forbidden"> | null {
  if (orgId !== PLATFORM_ORG_ID) return null;
  const message =
    "The platform's own organization has no keys and no console. Use the operator key, or sign in with it at /operator/login.";
  return refuse("forbidden", {}, { message });
}
