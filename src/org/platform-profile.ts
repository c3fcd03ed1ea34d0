import { PLATFORM_ORG_ID } from "../contract/platform-org.ts";
import { type Profile, USUAL_DECISIONS } from "../domain/tenant/profile.ts";

/** The platform's own object is not an org that anyone opens, so it has this profile from the start. */
export function platformProfile(homeRegion: string, now: number): Profile {
  return {
    id: PLATFORM_ORG_ID,
    name: "platform",
    status: "active",
    plan: "standard",
    environment: "live",
    homeRegion,
    ipAllowList: [],
    decisionDefaults: USUAL_DECISIONS,
    createdAt: now,
    clockOffsetMs: 0,
  };
}
