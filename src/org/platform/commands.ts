import { operationName } from "../../contract/deprecations.ts";
import type { DeprecationEntry } from "../../contract/resources/deprecations.ts";
import type { PlanTerms } from "../../contract/resources/plans.ts";
import type { CohortWithMembers } from "../../contract/resources/benchmarks.ts";
import type { CreatedOrg, MovedOrg } from "../../contract/resources/orgs.ts";
import { command, done } from "../kernel/door.ts";

/**
 * The platform's own object stores what operators do outside any org: the audit entry and the idempotency record. The
 * effect itself already exists, with ids derived from the reservation.
 */
export const recordOrgCreated = command({
  action: "platform.org_created",
  refuses: [],
  run: (_tx, input: { body: CreatedOrg }) => done(201, input.body, { target: input.body.org.id }),
});

export const recordDeprecation = command({
  action: "platform.route_deprecated",
  refuses: [],
  run: (_tx, input: { entry: DeprecationEntry }) =>
    done(200, input.entry, { target: operationName(input.entry), detail: input.entry }),
});

export const recordPlan = command({
  action: "platform.plan_set",
  refuses: [],
  run: (_tx, terms: PlanTerms) => done(200, terms, { target: terms.plan, detail: terms }),
});

/** D1 has what the revision changed. This records who made it. */
export const recordPriceBook = command({
  action: "platform.price_book_set",
  refuses: [],
  run: (_tx, input: { revision: number; was: number; models: number }) =>
    done(204, null, { target: String(input.revision), detail: input }),
});

export const recordCohort = command({
  action: "platform.cohort_set",
  refuses: [],
  run: (_tx, { status, body }: { status: 200 | 201; body: CohortWithMembers }) =>
    done(status, body, { target: body.id, detail: body }),
});

export const recordImport = command({
  action: "platform.org_imported",
  refuses: [],
  run: (_tx, input: { orgId: string; archiveId: string; fromRegion: string }) =>
    done(204, null, {
      target: input.orgId,
      detail: { archive_id: input.archiveId, from_region: input.fromRegion },
    }),
});

export const recordMove = command({
  action: "platform.org_moved",
  refuses: [],
  run: (_tx, moved: MovedOrg) =>
    done(200, moved, {
      target: moved.org_id,
      detail: { archive_id: moved.archive_id, from_region: moved.from_region, to_region: moved.home_region },
    }),
});

/** Here, because the org's own trail goes back to the moment that it is restored to. */
export const recordRestore = command({
  action: "platform.org_restored",
  refuses: [],
  run: (_tx, { orgId, at, undo_bookmark }: { orgId: string; at: string; undo_bookmark: string }) =>
    done(200, { restored_to: at, undo_bookmark }, { target: orgId, detail: { at, undo_bookmark } }),
});
