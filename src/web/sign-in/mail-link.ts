import { orgOfToken, type OrgTokenKind } from "../../domain/key/org-token.ts";
import { firstUnder } from "../../domain/key/peppers.ts";
import { doorHome } from "../../edge/region/door-home.ts";
import { peppersOf } from "../../settings.ts";
import type { Ctx, Web } from "../html.tsx";

/** The org that a link in a mail is about. Null if it is not one of ours. */
export function orgOfLink(web: Web, kind: OrgTokenKind, token: string): string | null {
  return firstUnder(peppersOf(web.settings), (pepper) => orgOfToken(pepper, kind, token));
}

/** To the org's object, for whoever follows a link without signing in. */
export function doorOfLink(context: Ctx, web: Web, orgId: string): ReturnType<typeof doorHome> {
  const { address, trace, settings } = web;
  const actor = { kind: "system", id: "email", role: "viewer", onBehalfOf: null, address } as const;
  return doorHome(context.env, settings, orgId, { actor, trace, idempotency: null, ifMatch: null });
}
