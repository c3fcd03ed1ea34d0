import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { FocusVersion } from "../../contract/lists.ts";
import { lateChargeOf } from "../../domain/focus/late.ts";
import { FocusWriter } from "../../domain/focus/writer.ts";
import type { DoorCode, OrgDoor } from "../../edge/object/org-door.ts";
import type { AdjustmentsAsk } from "../../org/adjustments/queries.ts";
import { allPages, type ExportNames, type NextPage, type RunPage } from "./export-pages.ts";

interface FocusRange {
  readonly version: FocusVersion;
  readonly range: { readonly fromMs: number; readonly toMs: number };
  readonly filters: ExportNames;
}

/** The charges of a range as FOCUS: those of runs, then adjustments. */
export async function focusTexts(
  org: OrgDoor,
  asked: FocusRange,
  runs: { readonly first: RunPage; readonly next: NextPage },
): Promise<AsyncGenerator<string> | Refusal<DoorCode>> {
  const profile = await org.query("getOrg", {});
  if (isRefusal(profile)) return profile;
  const { id, name } = profile.body;
  return texts(org, asked, { writer: new FocusWriter(asked.version, { id, name }), ...runs });
}

async function* texts(
  org: OrgDoor,
  { range, filters }: FocusRange,
  { writer, first, next }: { writer: FocusWriter; first: RunPage; next: NextPage },
): AsyncGenerator<string> {
  yield writer.header;
  for await (const page of allPages(first, next)) yield writer.addInOrder(page.runs);
  let after: number | null = 0;
  while (after !== null) {
    const answer: Awaited<ReturnType<typeof adjustmentsAfter>> = await adjustmentsAfter(org, {
      fromMs: range.fromMs,
      toMs: range.toMs,
      filters,
      after,
    });
    if (isRefusal(answer)) throw new Error(`the export stopped: ${answer.code}`);
    const { made } = answer.body;
    yield writer.addLate(made.map(({ nanos, ...one }) => lateChargeOf({ ...one, nanos: BigInt(nanos) })));
    after = answer.body.next;
  }
  yield writer.end();
}

const adjustmentsAfter = (org: OrgDoor, ask: AdjustmentsAsk) => org.query("adjustmentsMade", ask);
