import { describe, expect, test } from "vitest";
import {
  type Access,
  type OperationAccess,
  accessChanges,
  publishedAccess,
} from "../../scripts/frozen-contract/access.ts";
import { CONTRACTS } from "../../src/operations.ts";

const NAME = "GET /v1/things";
const published = publishedAccess(CONTRACTS);

function access(operation?: OperationAccess): Access {
  return { ...published, operations: operation === undefined ? {} : { [NAME]: operation } };
}

/** The more closed one first. */
const OPENINGS: readonly (readonly [string, OperationAccess, OperationAccess])[] = [
  ["a lower role", { role: "admin" }, { role: "viewer" }],
  ["an org's role in place of the operator", { role: "operator" }, { role: "owner" }],
  ["no key", { role: "viewer" }, { role: "anyone" }],
  ["no scope", { role: "viewer", scope: "runs:read" }, { role: "viewer" }],
  [
    "not every scope of the role",
    { role: "owner", scope: "org:write", allScopes: true },
    { role: "owner", scope: "org:write" },
  ],
  [
    "another scope, too",
    { role: "developer", scope: "runs:write" },
    { role: "developer", scope: "runs:write", orScope: "decisions:evaluate" },
  ],
  ["keys that have ended", { role: "developer" }, { role: "developer", servesEndedKeys: true }],
  [
    "support",
    { role: "viewer", support: ["read_only"] },
    { role: "viewer", support: ["read_only", "billing_read"] },
  ],
];

describe.each(OPENINGS)("%s", (_name, closed, open) => {
  test("opens an operation, and the way back narrows it", () => {
    const opened = accessChanges(access(closed), access(open));
    expect(opened).toEqual({
      opened: [expect.stringMatching(/^GET \/v1\/things: was .*; is /)],
      narrowed: [],
      added: [],
    });
    const narrowed = accessChanges(access(open), access(closed));
    expect(narrowed).toEqual({ opened: [], narrowed: [expect.stringContaining(NAME)], added: [] });
  });
});

test.each<readonly [string, OperationAccess, OperationAccess]>([
  ["another scope", { role: "viewer", scope: "runs:read" }, { role: "viewer", scope: "org:read" }],
  ["other callers", { role: "viewer" }, { role: "viewer", forCustomers: true }],
  ["a higher role without its scope", { role: "viewer", scope: "runs:read" }, { role: "admin" }],
])("%s opens in both directions", (_name, one, other) => {
  for (const [before, now] of [
    [one, other],
    [other, one],
  ] as const) {
    if (now.scope !== undefined && before.scope === undefined) continue;
    expect(accessChanges(access(before), access(now)).opened).toHaveLength(1);
  }
});

test("an operation that is new opens nothing, and is shown with who may call it", () => {
  expect(accessChanges(access(), access({ role: "admin", scope: "keys:read" }))).toEqual({
    opened: [],
    narrowed: [],
    added: [`${NAME}: role admin, scope keys:read`],
  });
});

test("a role that gains a scope of others is opened, one that loses it is narrowed, and a new scope opens nothing", () => {
  const { roles } = published;
  const without = (scope: string) => ({
    roles: { ...roles, viewer: roles.viewer.filter((one) => one !== scope) },
    operations: {},
  });
  const gone = accessChanges(access(), without("runs:read"));
  expect(gone).toEqual({ opened: [], narrowed: ["role viewer: no longer has runs:read"], added: [] });
  const back = accessChanges(without("runs:read"), access());
  expect(back).toEqual({ opened: ["role viewer: has runs:read"], narrowed: [], added: [] });
  const nobody = { viewer: [], developer: [], admin: [], owner: [] };
  expect(accessChanges({ roles: nobody, operations: {} }, access()).opened).toEqual([]);
});
