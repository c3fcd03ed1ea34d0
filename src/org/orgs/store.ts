import { type DecisionDefaults, type Profile, USUAL_DECISIONS } from "../../domain/tenant/profile.ts";
import type { Org } from "../../contract/resources/orgs.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { saveRow } from "../../storage/rows.ts";

type Row = {
  id: string;
  name: string;
  status: Profile["status"];
  plan: string;
  environment: Profile["environment"];
  home_region: string;
  ip_allow_list: string;
  decision_defaults: string;
  created_at: number;
  clock_offset_ms: number;
};

const copy = new TransactionalCache<Profile | null>();

export function loadProfile(sql: SqlStorage): Profile | null {
  return copy.get(sql, () => readProfile(sql));
}

function readProfile(sql: SqlStorage): Profile | null {
  const row = sql.exec<Row>("SELECT * FROM profile").toArray()[0];
  if (row === undefined) return null;
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    plan: row.plan,
    environment: row.environment,
    homeRegion: row.home_region,
    ipAllowList: JSON.parse(row.ip_allow_list) as string[],
    decisionDefaults: {
      ...USUAL_DECISIONS,
      ...(JSON.parse(row.decision_defaults) as Partial<DecisionDefaults>),
    },
    createdAt: row.created_at,
    clockOffsetMs: row.clock_offset_ms,
  };
}

export function saveProfile(sql: SqlStorage, profile: Profile): void {
  const row: Row = {
    id: profile.id,
    name: profile.name,
    status: profile.status,
    plan: profile.plan,
    environment: profile.environment,
    home_region: profile.homeRegion,
    ip_allow_list: JSON.stringify(profile.ipAllowList),
    decision_defaults: JSON.stringify(profile.decisionDefaults),
    created_at: profile.createdAt,
    clock_offset_ms: profile.clockOffsetMs,
  };
  saveRow(sql, "profile", { one: 1, ...row });
  copy.forget(sql);
}

export function toOrg(profile: Profile): Org {
  return {
    id: profile.id,
    name: profile.name,
    status: profile.status,
    plan: profile.plan,
    environment: profile.environment,
    home_region: profile.homeRegion,
    ip_allow_list: [...profile.ipAllowList],
    decision_defaults: profile.decisionDefaults,
    created_at: new Date(profile.createdAt).toISOString(),
  };
}
