import type { PlanTerms } from "../../contract/resources/plans.ts";
import { refuse } from "../../contract/refusal.ts";
import { command, done, query, type Tx, type View } from "../kernel/door.ts";
import { moveSlicesAhead } from "../leases/sweep.ts";
import { keepPlanTerms } from "../plans/store.ts";
import type { Org } from "../../contract/resources/orgs.ts";
import type { DecisionDefaults, Profile } from "../../domain/tenant/profile.ts";
import { saveProfile, toOrg } from "./store.ts";

export interface OrgChange {
  readonly name?: string | undefined;
  readonly plan?: PlanTerms | undefined;
  readonly ipAllowList?: readonly string[] | undefined;
  readonly decisionDefaults?:
    | { readonly [Field in keyof DecisionDefaults]?: DecisionDefaults[Field] | undefined }
    | undefined;
}

const current = (view: View) => toOrg(view.profile());

export const getOrg = query({ refuses: [], run: current });

export const changeOrg = command({
  action: "org.updated",
  changesLimits: ({ plan }: OrgChange) => plan !== undefined,
  refuses: ["conflict"],
  publishes: "profile",
  // Isolates admit and decide calls with what they were told of both.
  takesAway: ({ ipAllowList, decisionDefaults: { checks, on_expiry } = {} }: OrgChange) =>
    ipAllowList === undefined && checks !== "all" && on_expiry !== "charge" ? null : "*",
  current,
  run(tx, input) {
    const before = tx.profile();
    const after: Profile = {
      ...before,
      name: input.name ?? before.name,
      plan: input.plan?.plan ?? before.plan,
      ipAllowList: input.ipAllowList ?? before.ipAllowList,
      decisionDefaults: {
        checks: input.decisionDefaults?.checks ?? before.decisionDefaults.checks,
        on_expiry: input.decisionDefaults?.on_expiry ?? before.decisionDefaults.on_expiry,
      },
    };
    saveProfile(tx.sql, after);
    if (input.plan !== undefined) keepPlanTerms(tx, input.plan);
    return done(200, toOrg(after), { target: tx.orgId, detail: { ...input } });
  },
});

function become(tx: Tx, status: Profile["status"]): Org {
  const after: Profile = { ...tx.profile(), status };
  saveProfile(tx.sql, after);
  tx.emit(status === "suspended" ? "org.suspended" : "org.resumed", {});
  return toOrg(after);
}

export const suspendOrg = command({
  action: "org.suspended",
  refuses: ["conflict"],
  publishes: "profile",
  takesAway: (_input: object) => "*",
  current,
  run(tx) {
    if (tx.profile().status === "suspended") {
      return refuse("conflict", {}, { message: "This organization is already suspended." });
    }
    return done(200, become(tx, "suspended"), { target: tx.orgId });
  },
});

/** After a restoration, whatever the org was at that time. */
export const suspendRestored = command({
  action: "org.suspended",
  refuses: [],
  publishes: "profile",
  takesAway: (_input: object) => "*",
  run(tx, _input: object) {
    return done(200, become(tx, "suspended"), { target: tx.orgId, detail: { restored: true } });
  },
});

export const resumeOrg = command({
  action: "org.resumed",
  refuses: ["conflict"],
  publishes: "profile",
  current,
  run(tx, _input: object) {
    if (tx.profile().status === "active") {
      return refuse("conflict", {}, { message: "This organization is not suspended." });
    }
    return done(200, become(tx, "active"), { target: tx.orgId });
  },
});

/** Moves a test org's clock forward. Work that becomes due is run before the call returns. */
export const advanceClock = command({
  action: "org.clock_advanced",
  refuses: ["conflict"],
  takesAway: (_input: { seconds: number }) => "*",
  changesLimits: true,
  waitsForSlices: true,
  run(tx, input) {
    const before = tx.profile();
    if (before.environment !== "test") {
      return refuse("conflict", {}, { message: "Only the clock of a test organization can be moved." });
    }
    const ms = input.seconds * 1000;
    moveSlicesAhead(tx, ms);
    saveProfile(tx.sql, { ...before, clockOffsetMs: before.clockOffsetMs + ms });
    const now = new Date(tx.now + ms).toISOString();
    return done(200, { now }, { target: tx.orgId, detail: { advance_seconds: input.seconds } });
  },
});
