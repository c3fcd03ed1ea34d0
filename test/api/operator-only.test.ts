import { beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations.ts";
import { call, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** What operators alone may do, whatever the operation itself says about its role. */

/** Kept for callers of the first version, who use an admin's key of the org itself. */
const FOR_ADMINS = new Set([
  "GET /v1/admin/orgs/{org_id}/webhook-secret",
  "POST /v1/admin/orgs/{org_id}/webhook-secret/rotate",
]);
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`;
const OPERATOR_ONLY = OPERATIONS.map(({ contract }) => contract).filter(
  (op) => op.path.startsWith("/v1/admin/") && !FOR_ADMINS.has(nameOf(op)),
);

let org: TestOrg;
const callers: Record<string, string> = {};

async function supportToken(scope: string): Promise<string> {
  const opened = await call("POST", `/v1/orgs/${org.id}/support-grants`, {
    key: org.ownerKey,
    body: { scope, reason: "Ticket 1", expires_in_seconds: 3600 },
  });
  const body = { grant_id: opened.body.id };
  return (await call("POST", "/v1/admin/support-sessions", { key: operatorKey(), body })).body.token;
}

beforeAll(async () => {
  org = await newOrg();
  callers["an owner of the org"] = org.ownerKey;
  for (const role of ["admin", "developer", "viewer"])
    callers[`a key of role ${role}`] = await org.mint(role);
  for (const scope of ["read_only", "runs_debug"])
    callers[`support with ${scope}`] = await supportToken(scope);
  const minted = await call("POST", `/v1/orgs/${org.id}/customers/c1/tokens`, {
    key: org.ownerKey,
    body: { ttl_seconds: 600 },
  });
  callers["a customer"] = minted.body.token;
});

test("among them are backup, import, restore, and a move with its undoing", () => {
  expect(OPERATOR_ONLY.map(nameOf)).toEqual(
    expect.arrayContaining([
      "GET /v1/admin/orgs/{org_id}/backup",
      "POST /v1/admin/orgs/import",
      "POST /v1/admin/orgs/{org_id}/restore",
      "POST /v1/admin/orgs/{org_id}/move",
      "DELETE /v1/admin/orgs/{org_id}/move",
    ]),
  );
});

test.each(OPERATOR_ONLY.map((op) => [nameOf(op), op] as const))(
  "%s is forbidden to every key of an org, to its support and its customers",
  async (_name, op) => {
    const path = op.path.replace("{org_id}", org.id).replaceAll(/\{\w+\}/g, "none");
    const options = op.body === undefined ? {} : { body: {} };
    const codes: Record<string, string> = {};
    for (const [who, key] of Object.entries(callers)) {
      const { status, body } = await call(op.method, path, { key, ...options });
      codes[who] = `${status} ${body?.error?.code}`;
    }
    const refused = (who: string) => (who.startsWith("support") ? "support_scope_denied" : "forbidden");
    expect(codes).toEqual(
      Object.fromEntries(Object.keys(callers).map((who) => [who, `403 ${refused(who)}`])),
    );
    const nobody = await call(op.method, path, { from: "2001:db8:77::1", ...options });
    expect([nobody.status, nobody.body.error.code]).toEqual([401, "unauthorized"]);
    const stranger = await newOrg();
    const other = await call(op.method, path, { key: stranger.ownerKey, ...options });
    expect([403, 404]).toContain(other.status);
  },
);
