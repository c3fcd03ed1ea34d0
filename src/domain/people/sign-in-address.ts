import { type UrlRules, webhookUrlProblem } from "../webhook/url.ts";

export interface SignInRules extends UrlRules {
  /** A provider on this machine may use plain http: for a local server, which itself uses plain http. */
  readonly allowLoopback: boolean;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function isLocalProvider(address: string, rules: SignInRules): boolean {
  if (!(rules.allowLoopback || rules.allowPrivate) || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  const web = protocol === "http:" || protocol === "https:";
  return web && LOOPBACK.has(hostname) && username === "" && password === "";
}

/**
 * Returns why an address of an identity provider is refused. Null if it is allowed. The rules are those for webhooks.
 * Plain http is allowed only to this machine, because it carries secrets and identities.
 */
export function signInAddressProblem(address: string, rules: SignInRules): string | null {
  if (!isLocalProvider(address, rules)) {
    const problem = webhookUrlProblem(address, rules);
    if (problem !== null) return problem;
    if (new URL(address).protocol !== "https:") return "must use https";
  }
  return new URL(address).hash === "" ? null : "must not have a fragment";
}
