import { expect, test } from "vitest";
import { call, newOrg, operatorKey } from "../support/worker.ts";

test("an org is created with an owner key that works at once", async () => {
  const org = await newOrg({ name: "First" });
  const read = await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
  expect(read.status).toBe(200);
  expect(read.body).toMatchObject({ id: org.id, name: "First", status: "active", plan: "standard" });
  expect(read.headers.get("etag")).toMatch(/^"[\w-]{22}"$/);
  const listed = await call("GET", "/v1/admin/orgs", { key: operatorKey() });
  expect(listed.body.data.map((entry: { id: string }) => entry.id)).toContain(org.id);
});

test.each(["constructor", "__proto__", "toString", "nowhere"])(
  "an org is not created in a region named %s",
  async (region) => {
    const body = `{"name":"Acme","home_region":${JSON.stringify(region)}}`;
    const refused = await call("POST", "/v1/admin/orgs", { key: operatorKey(), body });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields[0].field).toBe("home_region");
  },
);
