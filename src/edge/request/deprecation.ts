import { activeDeprecations, DEPRECATED_ROUTES, type Deprecation } from "../../contract/deprecations.ts";
import type { DeprecationRegistry, FlagOutcome, RegistryCopy } from "../../platform/deprecation-registry.ts";
import { reachObject } from "../object/org-door.ts";

/**
 * This isolate's copy of the deprecation registry. A copy older than a second is never used, and flagging a route
 * returns only after that second, so every isolate then shows it. Under traffic the copy is renewed in the background.
 * A request that finds it too old starts the renewal on arrival and waits for it, briefly, only when its response is
 * ready.
 */

export interface RegistryNamespace {
  getByName(name: string): Pick<DurableObjectStub<DeprecationRegistry>, "copy" | "flag">;
}

const MAX_AGE_MS = 1000;
const RENEW_AFTER_MS = 500;
/** The clock of an isolate does not advance while code runs, so a copy may be used slightly too long. */
const GUARD_MS = 50;

export async function readRegistry(namespace: RegistryNamespace): Promise<RegistryCopy> {
  return await reachObject(async () => await namespace.getByName("registry").copy());
}

/** The isolate that flagged a route shows it immediately, the others when `olderCopiesEnd` resolves. */
export async function flagInRegistry(
  namespace: RegistryNamespace,
  asked: Deprecation,
  announcedMs: number,
): Promise<FlagOutcome> {
  const nowMs = Date.now();
  const outcome: FlagOutcome = await reachObject(
    async () => await namespace.getByName("registry").flag(asked, announcedMs),
  );
  if (outcome.flagged) deprecationCopy.install(outcome.copy, nowMs);
  return outcome;
}

/** Resolves when no isolate uses a copy from before now. */
export function waitForOlderCopies(): Promise<void> {
  return scheduler.wait(MAX_AGE_MS + GUARD_MS);
}

export class DeprecationCopy {
  #version = -1;
  #byRoute = indexed(activeDeprecations(DEPRECATED_ROUTES, []));
  /** When this copy was requested. The registry may have changed since. */
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

  /** The registry did not answer. The copy is used for another second instead of delaying every request. */
  makeDo(nowMs: number): void {
    this.#askedAtMs = Math.max(this.#askedAtMs, nowMs);
  }

  /** Responses may arrive out of order, so an older version never replaces a newer one. */
  install(copy: RegistryCopy, askedAtMs: number): void {
    if (copy.version < this.#version) return;
    this.#version = copy.version;
    this.#byRoute = indexed(copy.deprecations);
    this.#askedAtMs = Math.max(this.#askedAtMs, askedAtMs);
  }

  /** The deprecation that applies to a call, if any. HEAD counts as GET; OPTIONS matches any method of the route. */
  find(method: string, route: string): Deprecation | undefined {
    const deprecated = this.#byRoute.get(route);
    if (method === "OPTIONS") return deprecated?.[0];
    const asked = method === "HEAD" ? "GET" : method;
    return deprecated?.find((deprecation) => deprecation.method === asked);
  }

  /** For a method that the path does not serve: it matches any method of the route. */
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
