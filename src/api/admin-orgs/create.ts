import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { invalidFields, isRefusal } from "../../contract/refusal.ts";
import { createdOrg, newOrg } from "../../contract/resources/orgs.ts";
import { derivedId, newSeed } from "../../domain/bytes/ulid.ts";
import { claimKey } from "../../edge/request/claim-key.ts";
import { operation } from "../../edge/request/operation.ts";
import { bodyOf } from "../../edge/object/org-door.ts";
import { isRegion } from "../../edge/region/peer.ts";
import { relay } from "../../edge/region/settle.ts";
import { loadPlan } from "../../platform/plans.ts";

export const createOrg = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs",
    summary: "Create an organization and its owner key",
    role: "operator",
    idempotent: true,
    body: newOrg,
    reply: { 201: createdOrg },
    refuses: ["conflict"],
  },
  async (call) => {
    const { body, settings } = call;
    const homeRegion = body.home_region ?? settings.SVC_REGION;
    const isKnown = isRegion(settings, homeRegion);
    if (isKnown && homeRegion !== settings.SVC_REGION) return relay(call, homeRegion, call.rawBody);
    const plan = await loadPlan(call.env.DB, body.plan);
    if (plan === null || !isKnown) {
      return invalidFields([
        ...(isKnown
          ? []
          : [{ field: "home_region", code: "invalid_value", message: "is not a known region" }]),
        ...(plan === null ? [{ field: "plan", code: "invalid_value", message: "is not a known plan" }] : []),
      ]);
    }
    const platform = call.door(PLATFORM_ORG_ID);
    const claimed = await claimKey<"recordOrgCreated">(call, platform);
    if ("outcome" in claimed) return claimed.outcome;
    // Derived from the reservation, so that a request that is run twice creates one org.
    const seed = claimed.seed ?? newSeed(call.startedAt);
    const id = derivedId("org", seed);
    const opened = await call
      .door(id, { ...call.envelope(), idempotency: null, ifMatch: null })
      .command("openOrg", {
        id,
        name: body.name,
        plan,
        environment: body.environment,
        homeRegion,
        seed,
      });
    if (isRefusal(opened)) return opened;
    return platform.command("recordOrgCreated", { body: bodyOf(opened) }, claimed.envelope);
  },
);
