import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { ObjectUnreachable } from "../object/unreachable.ts";
import { peersOf } from "./peer.ts";
import { objectHere } from "./placement.ts";
import { redirectedOrg } from "./redirect-cache.ts";
import { type OrgStub, remoteOrg } from "./remote-org.ts";

/** Where orgs are at home, as far as this isolate knows. An org that moved is found by asking where it was. */
const MOST_HOMES = 50_000;
const homes = new BoundedMap<string, string>(MOST_HOMES);

/** The object of an org, in the region that is its home. */
export function orgObject(env: Env, settings: Settings, orgId: string, home: string): OrgStub {
  // Without other regions, no org has moved.
  if (home === settings.SVC_REGION && peersOf(settings).length === 0) {
    return objectHere(env, settings, orgId);
  }
  const at = (region: string): OrgStub =>
    region === settings.SVC_REGION
      ? objectHere(env, settings, orgId)
      : remoteOrg(env, settings, region, orgId);
  return redirectedOrg(home, at, (region) => homes.set(orgId, region));
}

/**
 * Asks the object of an org whose home may be unknown: first here, then every other region at once, because only its
 * home has it. Null if every region answered that it does not know the org.
 */
export async function askHome<T>(
  env: Env,
  settings: Settings,
  orgId: string,
  ask: (object: OrgStub) => Promise<T | null>,
): Promise<T | null> {
  const peers = peersOf(settings);
  const known = peers.length === 0 ? settings.SVC_REGION : homes.get(orgId);
  if (known !== undefined) {
    const found = await ask(orgObject(env, settings, orgId, known));
    if (found !== null || peers.length === 0) return found;
    homes.delete(orgId);
  }
  const here = await ask(orgObject(env, settings, orgId, settings.SVC_REGION));
  if (here !== null) return remember(orgId, settings.SVC_REGION, here);
  const there = await askPeers(env, settings, orgId, ask);
  return there === null ? null : remember(orgId, there.region, there.found);
}

/**
 * Asks the objects of an org in all other regions at once. Null if every one answered that it does not know the org; without
 * the answer of one, nothing is known.
 */
export async function askPeers<T>(
  env: Env,
  settings: Settings,
  orgId: string,
  ask: (object: OrgStub) => Promise<T | null>,
): Promise<{ readonly region: string; readonly found: T } | null> {
  const answers = await Promise.allSettled(
    peersOf(settings).map(async (region) => ({
      region,
      found: await ask(orgObject(env, settings, orgId, region)),
    })),
  );
  for (const answer of answers) {
    if (answer.status === "fulfilled" && answer.value.found !== null) {
      return { region: answer.value.region, found: answer.value.found };
    }
  }
  const silent = answers.find((answer) => answer.status === "rejected");
  if (silent !== undefined) throw new ObjectUnreachable(String(silent.reason), { cause: silent.reason });
  return null;
}

function remember<T>(orgId: string, region: string, found: T): T {
  // Where it was found to have moved is known already.
  if (homes.get(orgId) === undefined) homes.set(orgId, region);
  return found;
}
