import { KEY_ROLES, type KeyRole, roleIncludes, type Scope, scopesOf } from "../../src/contract/access.ts";
import { SUPPORT_SCOPES } from "../../src/contract/lists.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import { type SupportScope, supportRefusal } from "../../src/domain/people/support.ts";

/** Who may call one operation. */
export interface OperationAccess {
  readonly role: OperationContract["role"];
  readonly scope?: Scope;
  /** Needs every other scope of the role, too. */
  readonly allScopes?: true;
  readonly orScope?: Scope;
  /** For customer tokens, and for nobody else. */
  readonly forCustomers?: true;
  readonly servesEndedKeys?: true;
  /** The grants under which support may call it. */
  readonly support?: readonly SupportScope[];
}

/** Who may call what. */
export interface Access {
  /** The scopes of a key that is created without a list of scopes. */
  readonly roles: Readonly<Record<KeyRole, readonly Scope[]>>;
  readonly operations: Readonly<Record<string, OperationAccess>>;
}

/** What changes for callers. Operations and scopes that are new open nothing that was closed. */
export interface AccessChanges {
  readonly opened: readonly string[];
  readonly narrowed: readonly string[];
  readonly added: readonly string[];
}

/** Who may call what now. */
export function publishedAccess(operations: readonly OperationContract[]): Access {
  const listed = operations.map((op) => [routeOf(op), accessOf(op)] as const);
  return {
    roles: {
      viewer: scopesOf("viewer"),
      developer: scopesOf("developer"),
      admin: scopesOf("admin"),
      owner: scopesOf("owner"),
    },
    operations: Object.fromEntries(listed.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function accessOf(op: OperationContract): OperationAccess {
  const { method, role, scope, orScope, reads = false } = op;
  const support = SUPPORT_SCOPES.filter(
    (grant) => role !== "anyone" && supportRefusal(grant, { method, scope, role, reads }) === null,
  );
  return {
    role,
    ...(scope !== undefined && { scope }),
    ...(op.allScopes === true && { allScopes: true }),
    ...(orScope !== undefined && { orScope }),
    ...(op.forCustomers === true && { forCustomers: true }),
    ...(op.servesEndedKeys === true && { servesEndedKeys: true }),
    ...(support.length > 0 && { support }),
  };
}

export function accessChanges(frozen: Access, current: Access): AccessChanges {
  const changes = { opened: new Array<string>(), narrowed: new Array<string>(), added: new Array<string>() };
  for (const [name, now] of Object.entries(current.operations)) {
    const before = frozen.operations[name];
    if (before === undefined) changes.added.push(`${name}: ${inWords(now)}`);
    else if (opens(before, now)) changes.opened.push(`${name}: was ${inWords(before)}; is ${inWords(now)}`);
    else if (opens(now, before)) changes.narrowed.push(`${name}: was ${inWords(before)}; is ${inWords(now)}`);
  }
  const known = new Set(Object.values(frozen.roles).flat());
  for (const role of KEY_ROLES) {
    const [before, now] = [frozen.roles[role], current.roles[role]];
    for (const scope of now.filter((one) => !before.includes(one)))
      (known.has(scope) ? changes.opened : changes.added).push(`role ${role}: has ${scope}`);
    for (const scope of before.filter((one) => !now.includes(one)))
      changes.narrowed.push(`role ${role}: no longer has ${scope}`);
  }
  return changes;
}

/** Returns whether somebody may call an operation now who could not before. */
function opens(before: OperationAccess, now: OperationAccess): boolean {
  return (
    isLower(now.role, before.role) ||
    (before.scope !== undefined && now.scope !== before.scope) ||
    (before.allScopes === true && now.allScopes !== true) ||
    (now.orScope !== undefined && now.orScope !== before.orScope) ||
    now.forCustomers !== before.forCustomers ||
    (now.servesEndedKeys === true && before.servesEndedKeys !== true) ||
    (now.support ?? []).some((grant) => before.support?.includes(grant) !== true)
  );
}

function isLower(role: OperationAccess["role"], than: OperationAccess["role"]): boolean {
  if (than === "anyone") return false;
  return role === "anyone" || !roleIncludes(role, than);
}

function inWords({ role, scope, orScope, support, ...flags }: OperationAccess): string {
  const parts = [
    `role ${role}`,
    scope === undefined ? "no scope" : `scope ${scope}${orScope === undefined ? "" : ` or ${orScope}`}`,
    ...(flags.allScopes === true ? ["every scope of the role"] : []),
    ...(flags.forCustomers === true ? ["customer tokens only"] : []),
    ...(flags.servesEndedKeys === true ? ["ended keys too"] : []),
    ...(support === undefined ? [] : [`support with ${support.join(", ")}`]),
  ];
  return parts.join(", ");
}
