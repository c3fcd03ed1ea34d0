import type { OrgObject } from "../org/object.ts";

/** The Worker's bindings; settings are read through `settings.ts`. */
export interface Env {
  readonly DB: D1Database;
  readonly ORG: DurableObjectNamespace<OrgObject>;
}
