import { invalidFields, type Refusal } from "../../contract/refusal.ts";
import { environmentsOf } from "../../platform/cohorts.ts";

/**
 * The one environment that all of the orgs are of. A test org's clock can be moved, so it has no place beside live
 * orgs; and a region's cohorts hold only orgs that are at home in it.
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
