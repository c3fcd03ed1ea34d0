import type { FieldError } from "../contract/error-details.ts";
import { isLocalProvider, signInAddressProblem, type SignInRules } from "../domain/people/sign-in-address.ts";
import type { Settings } from "../settings.ts";
import { addressProblem, outboundRules } from "./post.ts";
import type { Resolve } from "./resolve.ts";

const RESOLVE_MS = 3000;

export function signInRules(settings: Settings): SignInRules {
  return { ...outboundRules(settings), allowLoopback: settings.SVC_BASE_URL.startsWith("http:") };
}

/** Checks an address of a provider as it is now, with everything that its name resolves to. */
export async function isSafeToCall(address: string, rules: SignInRules, resolve?: Resolve): Promise<boolean> {
  if (signInAddressProblem(address, rules) !== null) return false;
  if (isLocalProvider(address, rules)) return true;
  return (await addressProblem(address, { ...rules, ...(resolve && { resolve }) })) === null;
}

/**
 * Returns what is wrong with an address of a provider when it is set. A name that does not resolve now is checked again
 * at each use.
 */
export async function addressError(
  field: string,
  address: string,
  settings: Settings,
): Promise<FieldError | null> {
  const rules = signInRules(settings);
  const problem = signInAddressProblem(address, rules);
  if (problem !== null) return { field, code: "invalid_format", message: problem };
  if (isLocalProvider(address, rules)) return null;
  const resolved = await Promise.race([addressProblem(address, rules), scheduler.wait(RESOLVE_MS)]);
  return resolved === "address_refused"
    ? { field, code: "invalid_value", message: "must not point to a private address" }
    : null;
}
