import { NAMED_FIELDS, type ScopeField, type ScopeNames, type StoredScopes } from "../../contract/scopes.ts";

type Mutable<Type> = { -readonly [Part in keyof Type]: Type[Part] };

/** Each scope that a run names: its field, and the run's own property. */
export const RUN_SCOPES = NAMED_FIELDS.map(([kind, field]) => ({
  kind,
  field,
  property: `${kind}Id` as const,
}));

export function runScopesOf(names: ScopeNames): StoredScopes {
  const scopes: Partial<Mutable<StoredScopes>> = {};
  for (const { field, property } of RUN_SCOPES) scopes[property] = names[field] ?? null;
  return scopes as StoredScopes;
}

export function namesOf(run: StoredScopes): Record<ScopeField, string | null> {
  const names: Partial<Record<ScopeField, string | null>> = {};
  for (const { field, property } of RUN_SCOPES) names[field] = run[property];
  return names as Record<ScopeField, string | null>;
}
