import { DUE } from "../kernel/due-kinds.ts";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { publishOrg } from "../../platform/directory.ts";
import type { DueContext } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { loadProfile } from "./store.ts";

/** Copies the profile to the directory in D1. The row stays due until that has succeeded. */
export async function publishProfile({ storage, env }: DueContext): Promise<void> {
  const profile = loadProfile(storage.sql);
  if (profile !== null && profile.id !== PLATFORM_ORG_ID) await publishOrg(env.DB, profile);
  scheduleDue(storage.sql, DUE.publish, "profile", null);
}
