import { type ScopeField, type ScopeNames, STATED_SCOPES, type StoredScopes } from "../../contract/scopes.ts";

type Mutable<Type> = { -readonly [Part in keyof Type]: Type[Part] };

/** The model, the scopes and the user that a refused call named. */
export type RefusedNames = ScopeNames & {
  readonly model?: string | undefined;
  readonly user_id?: string | undefined;
};

/** The same as they are stored. */
export type StoredNames = StoredScopes & { readonly model: string | null; readonly userId: string | null };

export function storedNames(names: RefusedNames): StoredNames {
  const stored: Partial<Mutable<StoredNames>> = { model: names.model ?? null };
  for (const { field, property } of STATED_SCOPES) stored[property] = names[field] ?? null;
  stored.userId = names.user_id ?? null;
  return stored as StoredNames;
}

/** As the API names them, with something in the place of what the call did not name. */
export function namesOf<Absent>(stored: StoredNames, absent: Absent) {
  const names: Partial<Record<"model" | ScopeField | "user_id", string | Absent>> = {
    model: stored.model ?? absent,
  };
  for (const { field, property } of STATED_SCOPES) names[field] = stored[property] ?? absent;
  names.user_id = stored.userId ?? absent;
  return names as Record<"model" | ScopeField | "user_id", string | Absent>;
}
