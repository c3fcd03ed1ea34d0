import { signInAddressProblem } from "../../domain/people/sign-in-address.ts";
import { isSafeToCall, signInRules } from "../../outbound/sign-in-address.ts";
import type { Settings } from "../../settings.ts";
import type { ProviderAccess } from "./provider.ts";

/** Access to an org's provider. Its metadata contains more URLs, and each is checked before it is called or visited. */
export function providerAccess(settings: Settings, issuer: string): ProviderAccess {
  const rules = signInRules(settings);
  return {
    allowHttp: issuer.startsWith("http:"),
    mayVisit: (address) => signInAddressProblem(address, rules) === null,
    async send(request) {
      if (!(await isSafeToCall(request.url, rules))) throw new Error("the provider's address is refused");
      return fetch(request);
    },
  };
}
