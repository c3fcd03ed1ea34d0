/**
 * Support can only read under a grant, and only what the grant's scope names. A scope never exceeds a viewer's rights,
 * and a grant is never extended: for more, the owner opens another.
 */

import type { SUPPORT_SCOPES } from "../../contract/lists.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { SupportGrant } from "../../contract/resources/support.ts";

export type SupportScope = (typeof SUPPORT_SCOPES)[number];

/** Resources whose `:read` each scope covers. */
const COVERS: Readonly<Record<SupportScope, readonly string[]>> = {
  read_only: [
    "org",
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
  ],
  billing_read: ["org", "budgets", "customers", "credits", "quota", "limits", "forecasts"],
  runs_debug: [
    "org",
    "runs",
    "policies",
    "approvals",
    "routing",
    "webhooks",
    "limits",
    "budgets",
    "customers",
    "credits",
    "quota",
  ],
};

/** Why support is refused: the request would change something, or is outside the scope. */
export type SupportRefusal = "read_only" | "outside_scope";

export function supportRefusal(
  scope: SupportScope,
  asked: {
    readonly method: string;
    readonly scope: string | undefined;
    readonly role: string;
    /** True if the operation changes nothing, whatever its method. */
    readonly reads?: boolean;
  },
): SupportRefusal | null {
  if (asked.method !== "GET" && asked.method !== "HEAD" && asked.reads !== true) return "read_only";
  const covered = COVERS[scope].some((resource) => asked.scope === `${resource}:read`);
  return covered && asked.role === "viewer" ? null : "outside_scope";
}

/** A grant that is not active any more. */
export function grantRefusal(status: SupportGrant["status"]): Refusal<"gone" | "key_expired"> | null {
  if (status === "active") return null;
  return status === "closed"
    ? refuse("gone", {}, { message: "This support grant has been closed." })
    : refuse("key_expired", {}, { message: "This support grant has expired." });
}
