import { DUE } from "../kernel/due-kinds.ts";
import { scopesOf } from "../../contract/access.ts";
import type { PlanTerms } from "../../contract/resources/plans.ts";
import { refuse } from "../../contract/refusal.ts";
import { nextSweep } from "../../domain/run/retention.ts";
import { derivedId } from "../../domain/bytes/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { createKey } from "../keys/mint.ts";
import { keepPlanTerms } from "../plans/store.ts";
import { type Profile, USUAL_DECISIONS } from "../../domain/tenant/profile.ts";
import { loadProfile, saveProfile, toOrg } from "./store.ts";

export interface NewOrg {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanTerms;
  readonly environment: Profile["environment"];
  readonly homeRegion: string;
  /** Identifies the request. It may be repeated after a crash, and must then give the same org and owner key id. */
  readonly seed: string;
}

/**
 * Makes the object an org. If the same request is repeated, the owner key gets a new secret: the previous one was never
 * shown, because the first request got no response.
 */
export const openOrg = command({
  action: "org.created",
  refuses: ["conflict"],
  publishes: "profile",
  run(tx, input: NewOrg) {
    const known = loadProfile(tx.sql);
    const keyId = derivedId("key", input.seed);
    if (known !== null) {
      const owner = tx.sql.exec("SELECT 1 FROM keys WHERE id = ?", keyId).toArray();
      if (owner.length === 0) return refuse("conflict");
    }
    const profile: Profile = known ?? {
      id: input.id,
      name: input.name,
      status: "active",
      plan: input.plan.plan,
      environment: input.environment,
      homeRegion: input.homeRegion,
      ipAllowList: [],
      decisionDefaults: USUAL_DECISIONS,
      createdAt: tx.now,
      clockOffsetMs: 0,
    };
    saveProfile(tx.sql, profile);
    if (known === null) keepPlanTerms(tx, input.plan);
    const { secret } = createKey(tx, keyId, {
      name: "owner",
      role: "owner",
      scopes: scopesOf("owner"),
      notBefore: null,
      expiresAt: null,
    });
    if (known === null) tx.emit("key.created", { key_id: keyId, name: "owner", role: "owner" });
    tx.schedule(DUE.retentionSweep, "all", nextSweep(tx.now, false));
    return done(201, { org: toOrg(profile), owner_key: secret }, { target: input.id });
  },
});
