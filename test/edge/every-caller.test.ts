import { beforeAll, describe, expect, test } from "vitest";
import { CONTRACTS } from "../../src/operations.ts";
import type { KeyRole, Role } from "../../src/contract/access.ts";
import { DECISION } from "../../src/contract/decision.ts";
import { SUPPORT_SCOPES } from "../../src/contract/lists.ts";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import { freshAddress, FROZEN_ROLES, frozenAccess, pathOf } from "../support/each-operation.ts";
import { rowsOf } from "../support/rows.ts";
import { type Answer, call, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** Who may call each operation: what is enforced is what was frozen, whatever the operation itself says. */

const UNDER: Partial<Record<Role, string>> = {
  developer: "viewer",
  admin: "developer",
  owner: "admin",
  operator: "owner",
};

let org: TestOrg;
const keys = new Map<string, Promise<string>>();

/** A key of each kind is minted once. */
function keyOf(role: string, scopes: readonly string[] = FROZEN_ROLES[role as KeyRole]): Promise<string> {
  const name = `${role} ${scopes.join()}`;
  const made = keys.get(name) ?? org.mint(role, { scopes });
  keys.set(name, made);
  return made;
}

const keyWithout = (...lacking: readonly string[]) =>
  keyOf(
    "owner",
    FROZEN_ROLES.owner.filter((scope) => !lacking.includes(scope)),
  );

beforeAll(async () => {
  org = await newOrg();
  for (const scope of SUPPORT_SCOPES) keys.set(scope, supportToken(scope));
  await Promise.all(keys.values());
});

async function supportToken(scope: string): Promise<string> {
  const opened = await call("POST", `/v1/orgs/${org.id}/support-grants`, {
    key: org.ownerKey,
    body: { scope, reason: "Ticket 1", expires_in_seconds: 3600 },
  });
  const body = { grant_id: opened.body.id };
  return (await call("POST", "/v1/admin/support-sessions", { key: operatorKey(), body })).body.token;
}

/** A call that gets past the checks of its caller, and no further. */
function ask(op: OperationContract, key: string | null): Promise<Answer> {
  const path = pathOf(op, org.id);
  if (op.method === "GET") return call("GET", `${path}?zz_unknown=1`, { key, from: freshAddress() });
  return call(op.method, path, {
    key,
    from: freshAddress(),
    body: "x",
    headers: { "content-type": "text/plain" },
  });
}

/** A refusal of the caller, or null: everything else that can be wrong with a call is found later. */
async function refusalOf(answered: Promise<Answer>): Promise<string | null> {
  const { status, body } = await answered;
  if (status !== 401 && status !== 403) return null;
  return [body.error.code, ...Object.values(body.error.details as object).slice(0, 1)].join(" ");
}

describe.each(CONTRACTS.map((op) => [routeOf(op), op] as const))("%s", (_, op) => {
  const { role, scope, orScope, allScopes, forCustomers, support = [] } = frozenAccess(op);
  const needed = allScopes === true ? FROZEN_ROLES[role as KeyRole] : scope === undefined ? [] : [scope];

  test("is open without a key exactly if it was frozen so", async () => {
    expect(await refusalOf(ask(op, null))).toBe(role === "anyone" ? null : "unauthorized");
  });

  test.runIf(role !== "anyone")(
    "refuses a role that is too low, then each scope that is missing",
    async () => {
      const lower = UNDER[role as Role];
      if (lower !== undefined) expect(await refusalOf(ask(op, await keyOf(lower)))).toBe("forbidden");
      if (role === "operator") return;
      for (const lacking of needed) {
        const without = await keyWithout(lacking, orScope ?? lacking);
        expect(await refusalOf(ask(op, without))).toBe(`missing_scope ${lacking}`);
      }
    },
  );

  test.runIf(role !== "anyone" && forCustomers !== true)(
    "admits its role with its scopes alone",
    async () => {
      if (role === "operator") return expect(await refusalOf(ask(op, operatorKey()))).toBeNull();
      // No key is without any scope.
      const enough = needed.length > 0 ? needed : ["forecasts:read"];
      for (const scopes of orScope === undefined ? [enough] : [enough, [orScope]])
        expect(await refusalOf(ask(op, await keyOf(role, scopes)))).toBeNull();
    },
  );

  test.runIf(role !== "anyone")("admits support under the grants that cover it, and no other", async () => {
    for (const grant of SUPPORT_SCOPES) {
      const refused = (await refusalOf(ask(op, (await keys.get(grant)) ?? "")))?.split(" ")[0] ?? null;
      const expected = forCustomers === true ? "forbidden" : "support_scope_denied";
      expect([grant, refused]).toEqual([grant, support.includes(grant) ? null : expected]);
    }
  });
});

describe("a decision", () => {
  const body = { estimate: { cost_usd: "1" } };
  const reserved = async () =>
    (await call("GET", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey })).body.reserved_usd;

  // The first has a handler of its own, the second passes the router.
  test.each([DECISION.path, DECISION.path.replace("decision", "%64ecision")])(
    "at %s is made for no key without its role and scope, and reserves nothing for it",
    async (path) => {
      const cap = await call("PUT", `/v1/orgs/${org.id}/spend-cap`, {
        key: org.ownerKey,
        body: { cap_usd: "100" },
      });
      expect([cap.status, await reserved()]).toEqual([200, "0.00"]);
      const lowered = await org.mint("developer", { name: `lowered ${path}` });
      await rowsOf(org.id, "UPDATE keys SET role = 'viewer' WHERE name = ?", `lowered ${path}`);
      const refused = [
        [await org.mint("viewer"), "forbidden"],
        [lowered, "forbidden"],
        [await org.mint("owner", { scopes: ["runs:write"] }), "missing_scope decisions:evaluate"],
      ] as const;
      // The object is asked about a key that is new. The isolate knows it at the second call.
      for (const [key, code] of [...refused, ...refused])
        expect(await refusalOf(call("POST", path, { key, body }))).toBe(code);
      expect(await reserved()).toBe("0.00");
    },
  );
});
