import type { KeyRole, Scope } from "../../src/contract/access.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import type { Access, OperationAccess } from "../../scripts/frozen-contract/access.ts";
import manifest from "../contract/manifest.json" with { type: "json" };

/** Who may call what, as it was frozen: an expectation that the operations themselves have no part in. */
const FROZEN = manifest.access as Access;

export const FROZEN_ROLES: Readonly<Record<KeyRole, readonly Scope[]>> = FROZEN.roles;

export function frozenAccess(op: OperationContract): OperationAccess {
  const frozen = FROZEN.operations[routeOf(op)];
  if (frozen === undefined) throw new Error(`${routeOf(op)} is not frozen: run npm run freeze`);
  return frozen;
}

/** The path of an operation in an org, below nothing that exists. */
export function pathOf(op: OperationContract, orgId: string): string {
  return op.path
    .replace("{org_id}", orgId)
    .replace("/orgs/{id}", `/orgs/${orgId}`)
    .replaceAll(/\{\w+\}/g, "none");
}

let nextAddress = 0;
/** Failed attempts slow down an address and its network, so each call has its own address. */
export function freshAddress(): string {
  nextAddress++;
  return `2001:db8:${(nextAddress >> 8).toString(16)}:${(nextAddress & 255).toString(16)}::1`;
}
