import { invalidFields, type Refusal } from "../../contract/refusal.ts";
import { environmentsOf } from "../../platform/cohorts.ts";

/**
 * The environment that all of the orgs share. A test org's clock can be moved, so test orgs and live orgs never mix. A
 * region's cohorts contain only orgs whose home it is.
 */
export async function environmentOf(
  db: D1Database,
  ids: readonly string[],
): Promise<"live" | "test" | null | Refusal<"validation_failed">> {
  const known = await environmentsOf(db, ids);
  const unknown = ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [
          {
            field: `org_ids[${index}]`,
            code: "invalid_value",
            message: "is not an organization in this region",
          },
        ],
  );
  if (unknown.length > 0) return invalidFields(unknown);
  const kinds = new Set(known.values());
  if (kinds.size > 1) {
    const message = "must not mix test and live organizations";
    return invalidFields([{ field: "org_ids", code: "invalid_value", message }]);
  }
  return [...kinds][0] ?? null;
}
