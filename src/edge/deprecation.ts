import { activeDeprecations, DEPRECATED_ROUTES, type Deprecation } from "../contract/deprecations.ts";
import type { DeprecationRegistry, FlagOutcome, RegistryCopy } from "../platform/deprecation-registry.ts";
import { reach } from "./org-door.ts";

/**
 * This isolate's copy of the deprecation registry. It is never used when more than a second old, and a flag is answered
 * only when that second is over: from then on every isolate shows it. While requests keep coming it is renewed behind them; a request that finds
 * it too old starts renewing when it arrives and waits for it, at most briefly, only when its answer is ready.
 */

export interface RegistryNamespace {
  getByName(name: string): Pick<DurableObjectStub<DeprecationRegistry>, "copy" | "flag">;
}

const MAX_AGE_MS = 1000;
const RENEW_AFTER_MS = 500;
/** Clocks of isolates stand still while code computes: a copy may be used a little past its time. */
const GUARD_MS = 50;

export async function readRegistry(namespace: RegistryNamespace): Promise<RegistryCopy> {
  return await reach(async () => await namespace.getByName("registry").copy());
}

/** The isolate that flagged a route shows it at once; the others once `olderCopiesEnd`. */
export async function flagInRegistry(
  namespace: RegistryNamespace,
  asked: Deprecation,
  announcedMs: number,
): Promise<FlagOutcome> {
  const nowMs = Date.now();
  const outcome: FlagOutcome = await reach(
    async () => await namespace.getByName("registry").flag(asked, announcedMs),
  );
  if (outcome.flagged) deprecationCopy.install(outcome.copy, nowMs);
  return outcome;
}

/** Until no isolate goes by a copy that it asked for before now. */
export function olderCopiesEnd(): Promise<void> {
  return scheduler.wait(MAX_AGE_MS + GUARD_MS);
}

export class DeprecationCopy {
  #version = -1;
  #byRoute = indexed(activeDeprecations(DEPRECATED_ROUTES, []));
  /** When the registry was asked for what this copy says: from then on it may have changed. */
  #askedAtMs = -Infinity;
  #renewingSinceMs = -Infinity;

  isFresh(nowMs: number): boolean {
    return nowMs - this.#askedAtMs < MAX_AGE_MS;
  }

  /** `blocking`: too old to be used. `behind`: good for now, but this request should renew it meanwhile. */
  renewal(nowMs: number): "none" | "behind" | "blocking" {
    const ageMs = nowMs - this.#askedAtMs;
    if (!this.isFresh(nowMs)) return "blocking";
    if (ageMs < RENEW_AFTER_MS || nowMs - this.#renewingSinceMs < RENEW_AFTER_MS) return "none";
    this.#renewingSinceMs = nowMs;
    return "behind";
  }

  async renew(namespace: RegistryNamespace, nowMs: number): Promise<void> {
    this.install(await readRegistry(namespace), nowMs);
  }

  /** The registry did not answer: the copy has to do for another second, rather than hold up every request. */
  makeDo(nowMs: number): void {
    this.#askedAtMs = Math.max(this.#askedAtMs, nowMs);
  }

  /** Answers may overtake each other: an older version never replaces a newer one. */
  install(copy: RegistryCopy, askedAtMs: number): void {
    if (copy.version < this.#version) return;
    this.#version = copy.version;
    this.#byRoute = indexed(copy.deprecations);
    this.#askedAtMs = Math.max(this.#askedAtMs, askedAtMs);
  }

  /** What a call of this route is told, if anything. HEAD is answered as GET is; OPTIONS concerns the route as such. */
  find(method: string, route: string): Deprecation | undefined {
    const deprecated = this.#byRoute.get(route);
    if (method === "OPTIONS") return deprecated?.[0];
    const asked = method === "HEAD" ? "GET" : method;
    return deprecated?.find((deprecation) => deprecation.method === asked);
  }

  /** For a method that the path does not serve: that concerns the route as such, too. */
  findPath(path: string): Deprecation | undefined {
    return [...this.#byRoute.values()].flat().find(({ route }) => matches(route, path));
  }
}

function matches(route: string, path: string): boolean {
  const parts = route.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length && parts.every((part, at) => part.startsWith("{") || part === given[at])
  );
}

function indexed(deprecations: readonly Deprecation[]): ReadonlyMap<string, readonly Deprecation[]> {
  return Map.groupBy(deprecations, ({ route }) => route);
}

export const deprecationCopy = new DeprecationCopy();
