import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { begin, comeBack, onNetwork, orgAt, redirectUriOf } from "../../support/oidc-sign-in.ts";
import type { TestOrg } from "../../support/worker.ts";
import { type KeyPair, LyingProvider, newKey } from "../sso/lying-provider.ts";

/**
 * Two orgs, each with a provider, one of them an attacker's. The attacker's provider redirects a person who signs in at
 * the attacker's org to the honest provider, to get the honest provider's code.
 */

const EVIL = "https://evil.example";
/** Neither identifies itself in its responses: only the redirect URI distinguishes them. */
const NAMELESS = { metadata: { authorization_response_iss_parameter_supported: false } };

let keys: readonly [KeyPair, KeyPair];
let honest: LyingProvider;
let evil: LyingProvider;
let victim: TestOrg;
let attacker: TestOrg;

beforeAll(async () => {
  keys = [await newKey(), await newKey()];
});

beforeEach(async () => {
  honest = new LyingProvider(keys[0]);
  evil = new LyingProvider(keys[1], EVIL);
  [honest.lies, evil.lies] = [NAMELESS, NAMELESS];
  onNetwork(() => [honest, evil]);
  [victim, attacker] = [await orgAt(honest), await orgAt(evil)];
});
afterEach(() => vi.restoreAllMocks());

/** The honest provider's response. It knows one redirect URI, as its administrator configured it. */
function signInAtHonest(asked: URL, registered: string): URLSearchParams {
  expect(asked.searchParams.get("redirect_uri")).toBe(registered);
  const returned = honest.authorize(asked.href);
  returned.delete("iss");
  return returned;
}

const codesGivenTo = (provider: LyingProvider) => provider.calls.filter((made) => made.startsWith("POST"));

test("each org has its own redirect URI, and a sign-in that returns there is finished", async () => {
  const [own, other] = [await redirectUriOf(victim), await redirectUriOf(attacker)];
  expect(own).toMatch(new RegExp(`/sso/callback/${victim.id}$`));
  expect(other).not.toBe(own);
  const { sentTo, cookie } = await begin(victim);
  const entered = await comeBack(own, signInAtHonest(sentTo, own), { cookie });
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console"]);
});

test("an attacker's provider that uses the honest one's URI is refused there", async () => {
  evil.lies = {
    metadata: { ...NAMELESS.metadata, authorization_endpoint: `${honest.issuer}/authorize` },
  };
  const { sentTo } = await begin(attacker);
  expect(sentTo.origin).toBe(honest.issuer);
  expect(sentTo.searchParams.get("redirect_uri")).not.toBe(await redirectUriOf(victim));
});

test("a code of the honest provider that returns with an attacker's sign-in is not redeemed", async () => {
  const { sentTo, cookie } = await begin(attacker);
  const registered = await redirectUriOf(victim);
  // The attacker's provider redirects the browser, with the request that the victim's org would make.
  const bounced = new URL(sentTo.href.replace(EVIL, honest.issuer));
  bounced.searchParams.set("redirect_uri", registered);
  const returned = signInAtHonest(bounced, registered);
  const refused = await comeBack(registered, returned, { cookie });
  expect([refused.status, refused.headers.get("set-cookie")]).toEqual([401, null]);
  expect(refused.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect([codesGivenTo(evil), codesGivenTo(honest)]).toEqual([[], []]);
  // It does not work afterwards at the attacker's sign-in either: it is used up.
  const again = await comeBack(await redirectUriOf(attacker), returned, { cookie });
  expect(again.status).toBe(401);
  expect(codesGivenTo(evil)).toEqual([]);
});

test("a sign-in that returns in another browser, which has begun one of its own, is refused and used up", async () => {
  const own = await redirectUriOf(victim);
  const theirs = await begin(victim);
  const mine = await begin(victim);
  expect(mine.cookie).not.toBe(theirs.cookie);
  const returned = signInAtHonest(theirs.sentTo, own);
  const refused = await comeBack(own, returned, { cookie: mine.cookie });
  expect([refused.status, codesGivenTo(honest)]).toEqual([401, []]);
  expect((await comeBack(own, returned, { cookie: theirs.cookie })).status).toBe(401);
  // What the other browser began by itself is not affected.
  const entered = await comeBack(own, signInAtHonest(mine.sentTo, own), { cookie: mine.cookie });
  expect(entered.status).toBe(303);
});

test("a sign-in that returns to the URI without an org is refused, and its code is not redeemed", async () => {
  const { sentTo, cookie } = await begin(victim);
  const returned = signInAtHonest(sentTo, await redirectUriOf(victim));
  const refused = await comeBack("https://sluice.example/sso/callback", returned, { cookie });
  expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("Sign in again")]);
  expect(codesGivenTo(honest)).toEqual([]);
});

test("a response that names another provider is refused, even if that provider did not promise to name itself", async () => {
  const { sentTo, cookie } = await begin(victim);
  const own = await redirectUriOf(victim);
  const returned = signInAtHonest(sentTo, own);
  returned.set("iss", EVIL);
  expect((await comeBack(own, returned, { cookie })).status).toBe(401);
  expect(codesGivenTo(honest)).toEqual([]);
});

test("a provider that promised to name itself must do so", async () => {
  honest.lies = {};
  const { sentTo, cookie } = await begin(victim);
  const own = await redirectUriOf(victim);
  expect((await comeBack(own, signInAtHonest(sentTo, own), { cookie })).status).toBe(401);
  expect(codesGivenTo(honest)).toEqual([]);
});
