import { Refused, type Sluice } from "../client/index.ts";
import { sendChange } from "./change-call.ts";
import type { Change } from "./changes.ts";
import { type Complaints, complain } from "./declarations.ts";
import { joinPath } from "./yaml-file.ts";

const DRY_RUN = { "x-svc-dry-run": "true" };

/** A caller whose key may not make a change can still see what the change would be. */
const NOT_ALLOWED = new Set(["forbidden", "missing_scope"]);

/** The sections that this key may not change. The service's objections to the others are among the complaints. */
export async function tryChanges(
  changes: readonly Change[],
  sluice: Sluice,
  complaints: Complaints,
): Promise<ReadonlySet<string>> {
  const closed = new Set<string>();
  for (const change of changes) {
    const { section } = change.kind;
    if (closed.has(section)) continue;
    try {
      const { response } = await sendChange(change, sluice, { headers: DRY_RUN }).withResponse();
      // Whoever does not know of dry runs would have made the change.
      if (response.headers.get("x-svc-dry-run") !== "true") throw new Error("the service made a change");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (NOT_ALLOWED.has(error.code)) closed.add(section);
      else complainOf(change, error, complaints);
    }
  }
  return closed;
}

function complainOf(
  { kind, declared, label, action }: Change,
  refused: Refused,
  complaints: Complaints,
): void {
  const path = declared?.path ?? kind.section;
  if (refused.code !== "validation_failed") {
    const what = declared === null ? `${action} ${JSON.stringify(label)}: ` : "";
    complain(complaints, path, `${what}${refused.reason}`);
    return;
  }
  for (const { field, message } of refused.details.fields) {
    const [first = ""] = field.split(/[.[]/, 1);
    const { alias } = kind.fields[first] ?? {};
    const isAlias = alias !== undefined && declared?.fields[alias] !== undefined;
    complain(complaints, joinPath(path, isAlias ? alias : field), message);
  }
}
