import type { Scope } from "../../contract/access.ts";
import { type KeySnapshot, type OrgSnapshot, SNAPSHOT } from "../../gate/snapshot/snapshot.ts";
import type { View } from "../kernel/door.ts";
import { storedReservationKey } from "../peppers/state.ts";
import { secretEnd } from "../keys/secrets.ts";
import { loadKey } from "../keys/store.ts";
import type { Profile } from "../../domain/tenant/profile.ts";
import { loadRateLimits } from "../rate-limits/store.ts";
import { loadRegions } from "../residency/rule.ts";

/** The key that the digest proves. Null if there is no such key, or it has another secret. */
export function keySnapshot(sql: SqlStorage, now: number, keyId: string, digest: string): KeySnapshot | null {
  const row = loadKey(sql, keyId);
  if (row === null) return null;
  const secretEndsAt = secretEnd(sql, row, digest, now);
  if (secretEndsAt === undefined) return null;
  // A replaced secret ends with its grace period, even inside a snapshot.
  const ends = [row.expires_at, secretEndsAt].filter((at) => at !== null);
  return {
    id: row.id,
    role: row.role,
    scopes: JSON.parse(row.scopes) as Scope[],
    revoked: row.revoked_at !== null,
    notBefore: row.not_before,
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
  };
}

export function orgSnapshot(
  { sql, settings }: Pick<View, "sql" | "settings">,
  profile: Profile,
): OrgSnapshot {
  const { id, status, environment, homeRegion, ipAllowList, clockOffsetMs, decisionDefaults } = profile;
  const kept = storedReservationKey(sql, settings);
  return {
    id,
    status,
    environment,
    homeRegion,
    regions: loadRegions(sql),
    ipAllowList,
    clockOffsetMs,
    rates: loadRateLimits(sql),
    checks: decisionDefaults.checks,
    onExpiry: decisionDefaults.on_expiry,
    ...(kept === null ? {} : { reservationKey: kept }),
  };
}

/**
 * Knows which snapshots may still be in use. After an eviction it knows none, so it assumes one for every key, granted
 * when it woke.
 */
export class SnapshotAsks {
  #wokeAt: number;
  readonly #lastAsked = new Map<string, number>();

  constructor(wokeAt: number) {
    this.#wokeAt = wokeAt;
  }

  /** The org is here from now on. Where it was before, any key may have a snapshot. */
  begin(now: number): void {
    this.#wokeAt = now;
  }

  note(keyId: string, at: number): void {
    this.#lastAsked.set(keyId, at);
    if (this.#lastAsked.size > 10_000) this.#forget(at);
  }

  /** From this time on, no earlier snapshot of the key (`*`: of any key) is in use. */
  outdatedAt(keyId: string): number {
    let asked = this.#lastAsked.get(keyId) ?? 0;
    if (keyId === "*") for (const at of this.#lastAsked.values()) asked = Math.max(asked, at);
    return Math.max(asked, this.#wokeAt) + SNAPSHOT.lifeMs;
  }

  #forget(now: number): void {
    for (const [keyId, at] of this.#lastAsked) if (at + SNAPSHOT.lifeMs < now) this.#lastAsked.delete(keyId);
  }
}
