import type { OwnSession } from "../../contract/resources/sessions.ts";
import { formatMoment } from "./view/format.ts";
import type { Visitor } from "./view/document.tsx";
import type { Api, ListOf } from "./visit.ts";

/**
 * What every page shows about its reader and the org: who is signed in, what is waiting, and whether support is inside.
 */
export async function visitorOf(
  api: Api,
  session: OwnSession,
  { csrf, testClock }: Pick<Visitor, "csrf" | "testClock">,
): Promise<Visitor> {
  const org = `/v1/orgs/${session.org_id}`;
  const [approvals, support] = await Promise.all([
    api.get<ListOf<unknown>>(`${org}/approvals?status=pending&limit=100`),
    api.get<{ grant: { reason: string; expires_at: string } | null }>(`${org}/support-presence`),
  ]);
  const grant = support.body?.grant ?? null;
  return {
    orgName: session.org_name,
    orgId: session.org_id,
    name: session.user.email ?? session.user.name,
    role: session.role,
    csrf,
    testClock,
    supportInside: grant === null ? null : { reason: grant.reason, until: formatMoment(grant.expires_at) },
    pendingApprovals: approvals.body?.data.length ?? 0,
  };
}
