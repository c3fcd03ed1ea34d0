import { createHash } from "node:crypto";
import type { Call } from "./call.ts";

/**
 * Returns what a cursor belongs to: this list, of this org, with these filters. In another list it would start at an
 * arbitrary place, and the caller would not notice.
 */
export function listScope(call: Call, query: Readonly<Record<string, unknown>>): string {
  const { limit: _, cursor: __, sort: ___, ...filters } = query;
  const asked = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([call.op.path, call.orgId, call.params, asked]))
    .digest("base64url")
    .slice(0, 16);
}
