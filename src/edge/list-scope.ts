import { createHash } from "node:crypto";
import type { Call } from "./call.ts";

/**
 * What a cursor belongs to: this list, of this org, with these filters. Taken to another it would begin somewhere, and the
 * caller would take what it gets for the rest of the list.
 */
export function listScope(call: Call, query: Readonly<Record<string, unknown>>): string {
  const { limit: _, cursor: __, sort: ___, ...filters } = query;
  const asked = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([call.op.path, call.orgId, call.params, asked]))
    .digest("base64url")
    .slice(0, 16);
}
