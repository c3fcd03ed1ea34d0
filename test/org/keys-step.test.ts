import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type Scope, scopesOf } from "../../src/contract/access.ts";
import { KEY_STEPS } from "../../src/org/keys/schema.ts";
import { env, newOrg } from "../support/worker.ts";

const ADDED: readonly Scope[] = ["provider-keys:read", "provider-keys:write"];

test("a stored key that had every scope of its role gets the new ones, and no other does", async () => {
  const { id } = await newOrg();
  await runInDurableObject(env.ORG.getByName(id), (_, { storage: { sql } }) => {
    const before = scopesOf("admin").filter((scope) => !ADDED.includes(scope));
    const stored = (role: string, scopes: readonly Scope[]) => {
      sql.exec("UPDATE keys SET role = ?, scopes = ?", role, JSON.stringify(scopes));
      KEY_STEPS["keys/2"].fill(sql);
      const [row] = sql.exec<{ scopes: string }>("SELECT scopes FROM keys").toArray();
      return JSON.parse(row?.scopes ?? "[]") as Scope[];
    };
    expect(stored("admin", before)).toEqual(scopesOf("admin"));
    expect(stored("admin", before.slice(1))).toEqual(before.slice(1));
    expect(stored("viewer", scopesOf("viewer"))).toEqual(scopesOf("viewer"));
  });
});
