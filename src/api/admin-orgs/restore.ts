import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { invalidField, isRefusal } from "../../contract/refusal.ts";
import { restoration, restoredOrg } from "../../contract/resources/orgs.ts";
import { instantOf } from "../../domain/time/instant.ts";
import type { CallOf } from "../../edge/request/operation.ts";
import { claimKey } from "../../edge/request/claim-key.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import type { AnswerOf } from "../../org/kernel/door.ts";
import { bodyOf, reachObject } from "../../edge/object/org-door.ts";
import { orgObject } from "../../edge/region/home.ts";

/** How far back the platform keeps an object's storage. */
const MOST_DAYS = 30;
const TRIES = 20;
const TRY_EVERY_MS = 250;

const CONTRACT = {
  method: "POST",
  path: "/v1/admin/orgs/{org_id}/restore",
  summary: "Restore an organization to what it was at a time of the last 30 days",
  description:
    "From the platform's point-in-time recovery. What happened since is lost, also in the organization's audit trail; the platform's trail records the restoration. The organization is suspended until it is resumed.",
  role: "operator",
  body: restoration,
  reply: { 200: restoredOrg },
  refuses: ["conflict"],
} as const;

export const restoreOrg = operation(CONTRACT, async (call) => {
  const at = instantOf(call.body.at);
  const now = Date.now();
  if (at > now) return invalidField("at", "out_of_range", "must be in the past");
  if (at < now - MOST_DAYS * DAY_MS)
    return invalidField("at", "out_of_range", `must be within ${MOST_DAYS} days`);
  const platform = call.door(PLATFORM_ORG_ID);
  const claimed = await claimKey<"recordRestore">(call, platform);
  if ("outcome" in claimed)
    return isRefusal(claimed.outcome) ? claimed.outcome : again(call, claimed.outcome);
  const orgId = call.params.org_id;
  const object = orgObject(call.env, call.settings, orgId, call.home);
  const restored = await reachObject(async () => await object.restore(at));
  if (isRefusal(restored)) return restored;
  const input = { orgId, at: new Date(at).toISOString(), undo_bookmark: restored.undo };
  const recorded = await platform.command("recordRestore", input, claimed.envelope);
  // It must not serve calls as it was then, whatever became of the record.
  const org = await suspended(call);
  if (isRefusal(recorded)) return recorded;
  return isRefusal(org) ? org : reply(200, { org, ...bodyOf(recorded) });
});

/** The same call has restored the organization before. It may have been used since. */
async function again(call: CallOf<typeof CONTRACT>, recorded: RecordedRestore) {
  const org = await call.org.query("getOrg", {});
  return isRefusal(org) ? org : reply(200, { org: org.body, ...bodyOf(recorded) });
}

type RecordedRestore = AnswerOf<{ restored_to: string; undo_bookmark: string }>;

/** The object restarts in between, and is what it was then: most likely active. */
async function suspended(call: CallOf<typeof CONTRACT>) {
  for (let tries = 1; ; tries += 1) {
    await scheduler.wait(TRY_EVERY_MS);
    try {
      const alone = { ...call.envelope(), idempotency: null, ifMatch: null };
      const answer = await call.org.command("suspendRestored", {}, alone);
      return isRefusal(answer) ? answer : bodyOf(answer);
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}
