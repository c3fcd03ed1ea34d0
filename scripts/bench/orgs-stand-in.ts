import { SCOPES } from "../../src/contract/access.ts";
import { type Account, NO_USAGE, windowOf } from "../../src/domain/meter/meter.ts";
import type { DecisionVerdict } from "../../src/gate/decision/object-verdict.ts";
import { NO_REQUESTS } from "../../src/gate/decision/recent-reservations.ts";
import { readAsk, writeReply } from "../../src/gate/lease/wire.ts";
import type { Snapshot } from "../../src/gate/snapshot/snapshot.ts";

/**
 * A stand-in for the orgs' objects, which normally run in other isolates, so that only the isolate's own cost per org
 * is measured. It knows every key, and grants each org five limits and all it asks for.
 */
function accountsAt(now: number): Account[] {
  return Array.from({ length: 5 }, (_, index) => {
    const meter = {
      id: `bud_${index}`,
      kind: "budget",
      scope: { kind: "org", id: "" },
      limit: 900_000_000_000_000_000n,
      window: { kind: "period", period: "month" },
      mode: "enforce",
      sinceMs: 0,
    } as const;
    return { meter, subject: "", window: windowOf(meter, now), usage: NO_USAGE };
  });
}

const TIME = "2026-01-01T00:00:00.000Z";
const NAME = "0".repeat(26);
const TEXT = JSON.stringify({
  decision: "allow",
  decision_id: `dec_${NAME}`,
  reservation: { id: `rsv_${NAME}`, amount_usd: "0.00125", expires_at: TIME },
  limits: [0, 1, 2, 3, 4].map((n) => ({ kind: "budget", id: `bud_${n}`, available_usd: "900000000.00" })),
  evaluated_at: TIME,
});
const NAMES = { department: [], workflow: [], deployment: [], customer: false } as const;

export function standIn(orgId: string) {
  return {
    authenticate: (keyId: string): Promise<Snapshot> => {
      const org = {
        id: orgId,
        status: "active",
        environment: "live",
        homeRegion: "local",
        regions: null,
      } as const;
      const rates = { read_rpm: null, policies: [] };
      const key = {
        id: keyId,
        role: "owner",
        scopes: SCOPES,
        revoked: false,
        notBefore: null,
        expiresAt: null,
      } as const;
      const decisions = { checks: "limits", onExpiry: "release" } as const;
      return Promise.resolve({
        org: { ...org, ...decisions, ipAllowList: [], clockOffsetMs: 0, rates },
        key,
      });
    },
    decide: ({ wantsPlan }: { readonly wantsPlan: boolean }): Promise<DecisionVerdict> => {
      const orgNow = Date.now();
      const decisionPlan = wantsPlan ? { accounts: accountsAt(orgNow), matters: NAMES, ceiling: null } : null;
      return Promise.resolve({
        refusal: null,
        text: TEXT,
        rates: [],
        decisionPlan,
        orgNow,
        version: "1",
      });
    },
    syncLeases: (text: string): Promise<string> => {
      const { ask } = readAsk(text);
      const slices = new Map(
        Array.from(ask.wants, ([meter, { left, want }]) => {
          const add = want > left ? want - left : 0n;
          return [meter, { add, forMs: 1000, share: want }] as const;
        }),
      );
      const grant = { attempt: ask.attempt, slices };
      const known = { rates: [], usage: [], requests: NO_REQUESTS, refusals: 0 };
      return Promise.resolve(writeReply({ ...known, grant, orgNow: Date.now(), version: "1" }));
    },
  };
}
