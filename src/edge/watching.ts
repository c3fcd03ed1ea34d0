import { entryProblem } from "../domain/entry.ts";
import { orgOfToken, tokenDigest } from "../domain/org-token.ts";
import { askHome } from "./region/home.ts";
import { type Asked, sessionToken } from "./session-cookie.ts";

/** What a page of the console asks while it is open. */
export interface Watching {
  /** A mark that changes whenever something happens to the org. Null: the session has ended or lost its access. */
  look(): Promise<string | null>;
  end(): Promise<void>;
}

/** For the session of the request's cookie, which is looked up anew each time. Null if there is none. */
export function watchingOf({ request, env, settings, address }: Asked, stream: string): Watching | null {
  const token = sessionToken(request);
  const pepper = settings.SVC_KEY_PEPPER;
  const orgId = token === null ? null : orgOfToken(pepper, "session", token);
  if (token === null || orgId === null) return null;
  const digest = tokenDigest(pepper, token);
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
