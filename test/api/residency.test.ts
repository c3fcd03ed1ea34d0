import { describe, expect, test } from "vitest";
import { runInDurableObject } from "cloudflare:test";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

const path = (org: { id: string }) => `/v1/orgs/${org.id}/residency`;

/** A rule that names a region that the service no longer has. */
async function keepOut(org: TestOrg): Promise<void> {
  await runInDurableObject(env.ORG.getByName(org.id), (_object, state) => {
    state.storage.sql.exec("INSERT INTO residency (one, regions) VALUES (1, ?)", '["eu"]');
  });
}

describe("a residency rule", () => {
  test("allows every region by default, and shows the home region", async () => {
    const org = await newOrg();
    const read = await call("GET", path(org), { key: org.ownerKey });
    expect(read.status).toBe(200);
    expect(read.body).toEqual({ regions: null, home_region: "local" });
  });

  test("that excludes this region refuses every call here", async () => {
    const org = await newOrg();
    const own = `/v1/orgs/${org.id}`;
    await keepOut(org);
    const read = await call("GET", own, { key: org.ownerKey });
    expect(read.status).toBe(403);
    expect(read.body.error).toMatchObject({ code: "residency_violation", details: {} });
    const written = await call("PATCH", own, { key: org.ownerKey, body: { name: "Renamed" } });
    expect(written.body.error.code).toBe("residency_violation");
    expect((await call("GET", own, { key: operatorKey() })).status).toBe(403);
  });

  test("does not block its own setting or the operator", async () => {
    const org = await newOrg();
    await keepOut(org);
    expect((await call("GET", `/v1/admin/orgs/${org.id}`, { key: operatorKey() })).status).toBe(200);
    expect((await call("GET", path(org), { key: org.ownerKey })).status).toBe(200);
    expect((await call("PUT", path(org), { key: org.ownerKey, body: { regions: null } })).status).toBe(200);
    expect((await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey })).status).toBe(200);
  });

  test("must include the home region, and only known regions", async () => {
    const org = await newOrg();
    const set = (regions: unknown) => call("PUT", path(org), { key: org.ownerKey, body: { regions } });
    const before = await set(["local", "local"]);
    expect(before.body).toEqual({ regions: ["local"], home_region: "local" });
    for (const [regions, fields] of [
      [["eu"], ["regions[0]", "regions"]],
      [["local", "local", "mars"], ["regions[2]"]],
      [["local", "constructor"], ["regions[1]"]],
    ] as const) {
      const refused = await set(regions);
      expect(refused.status).toBe(422);
      expect(refused.body.error.details.fields.map((one: { field: string }) => one.field)).toEqual(fields);
    }
    expect((await call("GET", path(org), { key: org.ownerKey })).body).toEqual(before.body);
    expect((await set(null)).body).toEqual({ regions: null, home_region: "local" });
  });

  test("is read and set by owners only, and is validated", async () => {
    const org = await newOrg();
    const admin = await org.mint("admin");
    expect((await call("GET", path(org), { key: admin })).body.error.code).toBe("forbidden");
    for (const regions of [[], ["EU!"], "eu", undefined]) {
      const refused = await call("PUT", path(org), { key: org.ownerKey, body: { regions } });
      expect(refused.status).toBe(422);
      expect(refused.body.error.details.fields[0].field).toMatch(/^regions/);
    }
  });

  test("of another org looks like one that does not exist", async () => {
    const [mine, theirs] = [await newOrg(), await newOrg()];
    expect((await call("GET", path(theirs), { key: mine.ownerKey })).status).toBe(404);
  });
});

describe("between regions", () => {
  test("an org cannot be created in an unknown region", async () => {
    const made = await call("POST", "/v1/admin/orgs", {
      key: operatorKey(),
      body: { name: "Far", home_region: "mars" },
    });
    expect(made.status).toBe(422);
    expect(made.body.error.details.fields[0].field).toBe("home_region");
  });

  test("a pass from a client is ignored: neither its address nor its trace is used", async () => {
    const org = await newOrg();
    await call("PATCH", `/v1/orgs/${org.id}`, {
      key: org.ownerKey,
      body: { ip_allow_list: ["198.51.100.0/24"] },
      from: "198.51.100.1",
    });
    const claim = Buffer.from(
      JSON.stringify({ at: Date.now(), from: "eu", trace: "mine", address: "198.51.100.1" }),
    );
    const headers = { "x-svc-region-pass": `${claim.toString("base64url")}.c2lnbmF0dXJl` };
    const read = await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey, headers, from: "203.0.113.9" });
    expect(read.body.error.code).toBe("ip_not_allowed");
    expect(read.headers.get("x-svc-trace-id")).not.toBe("mine");
  });

  test("objects answer other regions only; clients get 404", async () => {
    const org = await newOrg();
    const body = { org: org.id, method: "whereabouts", args: [] };
    const asked = await call("POST", "/internal/object", { key: operatorKey(), body });
    expect(asked.status).toBe(404);
    expect(asked.body.error.code).toBe("not_found");
  });
});
