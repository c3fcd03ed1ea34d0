import { type KeyRole, roleIncludes, type Scope, scopesOf } from "../../contract/access.ts";
import type { FieldError } from "../../contract/error-details.ts";
import { invalidField, invalidFields, isRefusal, type Refusal } from "../../contract/refusal.ts";
import { keyDigest, mintKey as newSecret } from "../../domain/key/api-key.ts";
import { type Holder, findMissingRight } from "../../domain/key/rights.ts";
import { pepperMark } from "../../domain/key/peppers.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { holderOf, refuseLack, refuseRole, replayedKeyRefusal } from "./holder.ts";
import { minterOf } from "./family.ts";
import { type KeyRow, saveKey, toKey } from "./store.ts";

export interface NewKey {
  readonly name: string;
  readonly role: KeyRole;
  readonly scopes: readonly Scope[];
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** The requested key. Omitted scopes default to those that the role allows and the caller has. */
interface AskedKey extends Omit<NewKey, "scopes"> {
  readonly scopes: readonly Scope[] | null;
}

/** Stores a key and returns it with its secret, which exists nowhere else. */
export function createKey(tx: Tx, id: string, input: NewKey): { row: KeyRow; secret: string } {
  const pepper = tx.settings.SVC_KEY_PEPPER;
  const secret = newSecret(pepper, { environment: tx.profile().environment, orgId: tx.orgId, keyId: id });
  const row: KeyRow = {
    id,
    name: input.name,
    role: input.role,
    scopes: JSON.stringify(input.scopes),
    digest: keyDigest(pepper, secret),
    last4: secret.slice(-4),
    previous_expires_at: null,
    not_before: input.notBefore,
    expires_at: input.expiresAt,
    revoked_at: null,
    created_at: tx.now,
    minted_by: minterOf(tx),
    pepper: pepperMark(pepper),
  };
  saveKey(tx.sql, row);
  return { row, secret };
}

type Problem = Refusal<"forbidden" | "missing_scope" | "validation_failed">;

/** The key that the caller may create for the request, or why not. */
function granted(holder: Holder, asked: AskedKey, now: number): NewKey | Problem {
  if (!roleIncludes(holder.role, asked.role)) return refuseRole();
  const usable = scopesOf(asked.role);
  const expiresAt = asked.expiresAt ?? holder.expiresAtMs;
  const wrong = [
    ...scopeProblems(asked, usable),
    ...timeProblems({ ...asked, expiresAt }, asked.expiresAt === null, now),
  ];
  if (wrong.length > 0) return invalidFields(wrong);
  const scopes = asked.scopes ?? usable.filter((scope) => holder.scopes?.has(scope) ?? true);
  const [first] = usable;
  if (scopes.length === 0 && first !== undefined) return refuseLack({ kind: "scope", scope: first });
  const lack = findMissingRight(holder, { role: asked.role, scopes, expiresAtMs: expiresAt });
  if (lack?.kind === "time") {
    const message = `must not be after ${new Date(lack.untilMs).toISOString()}, when the calling key expires`;
    return invalidField("expires_at", "out_of_range", message);
  }
  return lack === null ? { ...asked, scopes, expiresAt } : refuseLack(lack);
}

function scopeProblems({ role, scopes }: AskedKey, usable: readonly Scope[]): FieldError[] {
  const message = `is not a scope of the role ${role}`;
  return (scopes ?? []).flatMap((scope, at) =>
    usable.includes(scope) ? [] : [{ field: `scopes[${at}]`, code: "out_of_range", message }],
  );
}

function outside(field: string, message: string): FieldError[] {
  return [{ field, code: "out_of_range", message }];
}

function timeProblems(
  { notBefore, expiresAt }: Pick<NewKey, "notBefore" | "expiresAt">,
  inherited: boolean,
  now: number,
): FieldError[] {
  if (expiresAt === null) return [];
  if (expiresAt <= now) return outside("expires_at", "must be in the future");
  if (notBefore === null || notBefore < expiresAt) return [];
  return inherited
    ? outside("not_before", "must be before the calling key expires")
    : outside("expires_at", "must be after not_before");
}

export const mintKey = command({
  action: "key.created",
  refuses: ["forbidden", "missing_scope", "validation_failed"],
  replayRefusal: replayedKeyRefusal,
  run(tx, asked: AskedKey) {
    const input = granted(holderOf(tx), asked, tx.now);
    if (isRefusal(input)) return input;
    const { row, secret } = createKey(tx, newId("key", tx.now), input);
    tx.emit("key.created", { key_id: row.id, name: row.name, role: row.role });
    const detail = { name: row.name, role: row.role, scopes: input.scopes };
    return done(201, { ...toKey(tx, row), key: secret }, { target: row.id, detail });
  },
});
