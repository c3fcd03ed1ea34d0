/** Roles and scopes: who may do what. Each role includes the rights of the next one. */

export const KEY_ROLES = ["viewer", "developer", "admin", "owner"] as const;
export type KeyRole = (typeof KEY_ROLES)[number];
/** `operator` is the platform's own role. `anyone` marks an operation that requires no key. */
export type Role = KeyRole | "operator";

const RANK: Record<Role, number> = { viewer: 0, developer: 1, admin: 2, owner: 3, operator: 4 };

export function roleIncludes(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}

const RESOURCES = [
  "org",
  "keys",
  "runs",
  "budgets",
  "customers",
  "credits",
  "quota",
  "limits",
  "policies",
  "approvals",
  "webhooks",
  "audit",
  "retention",
  "routing",
  "benchmarks",
  "forecasts",
  "support",
  "provider-keys",
] as const;

export type Scope = `${(typeof RESOURCES)[number]}:${"read" | "write"}` | "decisions:evaluate";

export const SCOPES: readonly [Scope, ...Scope[]] = [
  "decisions:evaluate",
  ...RESOURCES.flatMap((resource): Scope[] => [`${resource}:read`, `${resource}:write`]),
];

/** The scopes that each role may write. Every role can read everything except keys. */
const WRITES: Record<KeyRole, readonly string[]> = {
  viewer: [],
  developer: ["decisions:evaluate", "runs:write", "routing:write"],
  admin: RESOURCES.filter((resource) => resource !== "support").map((resource) => `${resource}:write`),
  owner: ["support:write"],
};

const READS_FROM: Partial<Record<string, KeyRole>> = {
  "keys:read": "admin",
  "provider-keys:read": "admin",
  "support:read": "owner",
};

/** Every scope of a role: what a key gets if it is created without a list of scopes. */
export function scopesOf(role: KeyRole): Scope[] {
  return SCOPES.filter((scope) => {
    if (scope.endsWith(":read")) return roleIncludes(role, READS_FROM[scope] ?? "viewer");
    return KEY_ROLES.some((lower) => roleIncludes(role, lower) && WRITES[lower].includes(scope));
  });
}
