import { ObjectUnreachable } from "./unreachable.ts";

/** How many objects are told at once. */
const AT_ONCE = 20;

/** Tells every org, even if some cannot be reached. Returns how many were not reached. */
export async function tellOrgs(
  orgIds: readonly string[],
  push: (orgId: string) => Promise<unknown>,
): Promise<number> {
  let unreached = 0;
  for (let at = 0; at < orgIds.length; at += AT_ONCE) {
    const results = await Promise.allSettled(orgIds.slice(at, at + AT_ONCE).map(push));
    for (const one of results) {
      if (one.status === "fulfilled") continue;
      if (!(one.reason instanceof ObjectUnreachable)) throw one.reason;
      unreached += 1;
    }
  }
  return unreached;
}
