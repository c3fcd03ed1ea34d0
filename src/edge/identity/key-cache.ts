import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import type { Role, Scope } from "../../contract/access.ts";
import { type Cidr, parseCidr } from "../../domain/network/address.ts";
import { type KeySnapshot, type OrgSnapshot, type Snapshot, SNAPSHOT } from "../../gate/snapshot/snapshot.ts";

/** An org as this isolate knows it: a snapshot that is valid for two seconds after it was requested. */
export interface KnownOrg {
  readonly id: string;
  snapshot: OrgSnapshot;
  allowList: readonly Cidr[];
}

/** Shared by all keys of the org. */
interface SharedOrg extends KnownOrg {
  askedAt: number;
}

export interface KnownKey {
  readonly org: KnownOrg;
  readonly key: KeySnapshot;
  /** The secret that was sent. */
  readonly digest: string;
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  readonly goodUntil: number;
  readonly refreshAt: number;
  refreshing: boolean;
}

const MAX_KEYS = 20_000;

/** The keys that this isolate has verified, by their full text, so that a request needs a lookup and no hash. */
export class KeyCache {
  readonly #keys = new BoundedMap<string, KnownKey>(MAX_KEYS);
  readonly #orgs = new BoundedMap<string, SharedOrg>(MAX_KEYS);

  get(bearer: string, now: number): KnownKey | null {
    const known = this.#keys.get(bearer);
    return known === undefined || known.goodUntil <= now ? null : known;
  }

  set(bearer: string, digest: string, snapshot: Snapshot, askedAt: number): KnownKey {
    const scopes = sharedScopes(snapshot.key.scopes);
    const known: KnownKey = {
      org: this.#setOrg(snapshot.org, askedAt),
      key: { ...snapshot.key, scopes: scopes.list },
      digest,
      role: snapshot.key.role,
      scopes: scopes.set,
      goodUntil: askedAt + SNAPSHOT.lifeMs,
      // Under steady traffic it is renewed in the background halfway through its life, so that no request waits for it.
      refreshAt: askedAt + SNAPSHOT.lifeMs / 2,
      refreshing: false,
    };
    this.#keys.set(bearer, known);
    return known;
  }

  forget(bearer: string): void {
    this.#keys.delete(bearer);
  }

  /** Answers may arrive out of order. An older one does not replace what keys already know. */
  #setOrg(snapshot: OrgSnapshot, askedAt: number): KnownOrg {
    const known = this.#orgs.get(snapshot.id);
    if (known !== undefined && askedAt < known.askedAt) return known;
    const allowList = snapshot.ipAllowList.flatMap((text) => parseCidr(text) ?? []);
    const org: SharedOrg = known ?? { id: snapshot.id, snapshot, allowList, askedAt };
    Object.assign(org, { snapshot, allowList, askedAt });
    this.#orgs.set(snapshot.id, org);
    return org;
  }
}

interface Scopes {
  readonly list: readonly Scope[];
  readonly set: ReadonlySet<Scope>;
}

const MAX_SCOPES = 1000;
const scopesByText = new BoundedMap<string, Scopes>(MAX_SCOPES);

/** Most keys have exactly the scopes of their role, so these sets are shared. */
function sharedScopes(list: readonly Scope[]): Scopes {
  const text = list.join(" ");
  let found = scopesByText.get(text);
  if (found === undefined) {
    found = { list, set: new Set(list) };
    scopesByText.set(text, found);
  }
  return found;
}
