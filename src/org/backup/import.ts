import { checkpoint } from "../../storage/transaction.ts";
import { refuse, type Refusal } from "../../contract/refusal.ts";
import { noteSupportGrant } from "../../platform/support-grants.ts";
import { appendAudit } from "../kernel/audit/append.ts";
import { rollBackCaches } from "../../storage/transactional-cache.ts";
import type { OrgEnv, View } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { verifyAuditStep, type Verification } from "../audit-log/verify.ts";
import { archiveApart } from "../../storage/segments/archive/files.ts";
import { loadRegions } from "../residency/rule.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import { notePepperChange } from "../peppers/state.ts";
import { noteImported } from "./archive-origin.ts";
import { BadArchive, loadArchive, type Steps } from "./load.ts";
import { dropStaging, isStaging, readStagedFrames } from "./staging.ts";

export type ImportedOrg = { readonly archiveId: string; readonly fromRegion: string };

interface ImportContext {
  readonly storage: DurableObjectStorage;
  readonly orgId: string;
  readonly attempt: string;
  readonly settings: Settings;
  readonly steps: Steps;
  /** A view of the org, once its tables are there. */
  readonly view: () => View;
}

/**
 * Makes the object the org of the archive that was staged: everything, or nothing. The org's home is here from then on.
 */
export function importStaged({
  storage,
  orgId,
  attempt,
  settings,
  steps,
  view,
}: ImportContext): ImportedOrg | Refusal<"conflict" | "validation_failed" | "residency_violation"> {
  const { sql } = storage;
  if (!isStaging(sql, attempt))
    return refuse("conflict", {}, { message: "Another import has taken the place of this one." });
  try {
    return storage.transactionSync(() => {
      const head = loadArchive(sql, readStagedFrames(sql), { peppers: peppersOf(settings), orgId, steps });
      dropStaging(sql);
      sql.exec("DROP TABLE IF EXISTS moved; DROP TABLE IF EXISTS came_by");
      sql.exec("UPDATE profile SET home_region = ?", settings.SVC_REGION);
      // The prices of this deployment's book are read anew, and its revisions have numbers of their own.
      steps.upgrade();
      sql.exec("DELETE FROM platform_book");
      archiveApart({ sql, name: "run" }, head.archive_id);
      rollBackCaches(sql);
      checkLoaded(view(), orgId);
      notePepperChange(view());
      note(view(), head.archive_id, head.home_region);
      return { archiveId: head.archive_id, fromRegion: head.home_region };
    });
  } catch (error) {
    rollBackCaches(sql);
    if (!(error instanceof BadArchive)) throw error;
    return error.message === EXCLUDED
      ? refuse("residency_violation")
      : refuse("validation_failed", {
          fields: [{ field: "body", code: "invalid_archive", message: error.message }],
        });
  }
}

const EXCLUDED = "its residency rule excludes this region";

function checkLoaded(view: View, orgId: string): void {
  if (view.profile().id !== orgId) throw new BadArchive("it is of another organization");
  const regions = loadRegions(view.sql);
  if (regions !== null && !regions.includes(view.settings.SVC_REGION)) throw new BadArchive(EXCLUDED);
  const loaded = { ...view, sql: checkpoint(view.sql) };
  let step = verifyAuditStep.run(loaded, { walk: null }) as Verification;
  while (step.breaks === null) step = verifyAuditStep.run(loaded, { walk: step.walk }) as Verification;
  if (step.breaks.length > 0) throw new BadArchive("its audit trail is broken");
}

function note(view: View, archiveId: string, fromRegion: string): void {
  const { sql, now } = view;
  // By the platform's clock, like the times that an object can be restored to.
  noteImported(sql, archiveId, Date.now());
  appendAudit(view, {
    action: "org.imported",
    target: view.orgId,
    outcome: "done",
    detail: { archive_id: archiveId, from_region: fromRegion },
  });
  scheduleDue(sql, DUE.runArchive, "", now);
  scheduleDue(sql, DUE.publish, "profile", now);
  scheduleDue(sql, DUE.publishRateLimits, "", now);
}

/** An operator finds a grant by its id, in the database of the region. */
export async function publishGrants({ DB }: OrgEnv, { sql, orgId, now }: View): Promise<void> {
  const open = sql
    .exec<{ id: string; expires_at: number }>(
      "SELECT id, expires_at FROM support_grants WHERE closed_at IS NULL AND expires_at > ? LIMIT 1000",
      now,
    )
    .toArray();
  for (const { id, expires_at } of open) {
    await noteSupportGrant(DB, { grantId: id, orgId, expiresAt: expires_at }, now);
  }
}
