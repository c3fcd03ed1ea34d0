import { entryProblem } from "../../domain/network/access.ts";
import { orgOfToken, tokenDigest } from "../../domain/key/org-token.ts";
import { firstUnder, presentDigest } from "../../domain/key/peppers.ts";
import { peppersOf } from "../../settings.ts";
import { askHome } from "../region/home.ts";
import { type SessionRequest, sessionToken } from "../identity/session-cookie.ts";

/** The questions that a page of the console asks while it is open. */
export interface PageWatch {
  /** A mark that changes whenever something happens to the org. Null if the session has ended or lost its access. */
  look(): Promise<string | null>;
  end(): Promise<void>;
}

/** For the session of the request's cookie, which is looked up anew each time. Null if there is none. */
export function watchPage(
  { request, env, settings, address }: SessionRequest,
  stream: string,
): PageWatch | null {
  const token = sessionToken(request);
  if (token === null) return null;
  const peppers = peppersOf(settings);
  const orgId = firstUnder(peppers, (pepper) => orgOfToken(pepper, "session", token));
  if (orgId === null) return null;
  const digest = presentDigest(peppers, (pepper) => tokenDigest(pepper, token));
  return {
    async look() {
      const found = await askHome(env, settings, orgId, async (object) => await object.watch(digest, stream));
      if (found?.kind !== "live") return null;
      const problem = entryProblem(found.org, { address, region: settings.SVC_REGION });
      return problem === null ? found.mark : null;
    },
    async end() {
      await askHome(env, settings, orgId, async (object) => await object.unwatch(stream));
    },
  };
}
