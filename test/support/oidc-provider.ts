import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { onTestFinished } from "vitest";
import type { CookieJar } from "./cookie-jar.ts";
import { LASTING } from "./lasting.ts";

export const CLIENT = { client_id: "sluice", client_secret: "a-secret-that-only-these-two-share" };

/** A real OpenID Connect provider on this machine. It signs anyone in under the name they give. */
export async function oidcProvider(
  redirectUri: string,
  claims: Record<string, unknown> = {},
): Promise<string> {
  const server = createServer(LASTING);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub", "svc_role"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["only-for-tests"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: true,
        name: "Ada Lovelace",
        ...claims,
      }),
    }),
  });
  server.on("request", provider.callback());
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return issuer;
}

/** The person at the provider: identifies themselves, consents, and is sent back. Returns the URL. */
export async function atProvider(
  jar: CookieJar,
  url: string,
  login: string,
  isBack: (url: string) => boolean,
): Promise<string> {
  let step = await jar.follow(url, isBack);
  for (const form of [{ prompt: "login", login, password: "x" }, { prompt: "consent" }]) {
    if (step.answer === null) break;
    const action = /<form[^>]*action="([^"]+)"/.exec(await step.answer.text())?.[1] ?? "";
    step = await jar.follow(new URL(action, step.url).href, isBack, form);
  }
  if (step.answer !== null) throw new Error(`not sent back: ${step.url} ${step.answer.status}`);
  return step.url;
}
