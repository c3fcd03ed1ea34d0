import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimPorts } from "../../../scripts/ports.ts";
import { type Server, startServer } from "../../../scripts/server.ts";
import { makeFolder, temporaryFolder } from "../../support/folder.ts";
import { http } from "../../support/http.ts";
import { slowBody } from "../../support/slow-body.ts";

const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
  SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
};
const operator = { key: SECRETS.SVC_OPERATOR_KEY };

interface Org {
  readonly id: string;
  readonly key: string;
}

async function newOrg(base: string, homeRegion: string): Promise<Org> {
  const made = await http("POST", `${base}/v1/admin/orgs`, {
    ...operator,
    body: { name: "Acme", home_region: homeRegion },
  });
  if (made.status !== 201) throw new Error(`no org: ${made.status} ${made.text}`);
  return { id: made.body.org.id, key: made.body.owner_key };
}

function limit(base: string, org: Org, limit_usd: string) {
  const body = { scope_kind: "org", limit_usd, period: "month", mode: "enforce" };
  return http("POST", `${base}/v1/orgs/${org.id}/budgets`, { key: org.key, body });
}

function decide(base: string, org: Org, cost_usd: string) {
  return http("POST", `${base}/v1/edge/decision`, { key: org.key, body: { estimate: { cost_usd } } });
}

async function ids(base: string): Promise<string[]> {
  const listed = await http("GET", `${base}/v1/admin/orgs?limit=200`, operator);
  return listed.body.data.map((org: Org) => org.id);
}

function start(region: string, regions: object): Promise<Server> {
  return startServer({
    port: 0,
    dataDir: temporaryFolder(),
    settings: { ...SECRETS, SVC_REGION: region, SVC_REGIONS: JSON.stringify(regions) },
  });
}

describe("two regions, each with its own objects and database", () => {
  let server: Server;
  let eu: string;
  let us: string;
  const folder = makeFolder();
  beforeAll(async () => {
    server = await startServer({
      port: 0,
      dataDir: folder.path,
      regions: ["eu", "us"],
      settings: SECRETS,
    });
    [eu, us = ""] = server.urls;
  });
  afterAll(async () => {
    await server.dispose();
    folder.remove();
  });

  test("an org created through one has its home in the other, and only its home lists it", async () => {
    const org = await newOrg(us, "eu");
    expect(await ids(eu)).toContain(org.id);
    expect(await ids(us)).not.toContain(org.id);
  });

  test("the operator's overview shows the orgs of both, in one order, page by page", async () => {
    const orgs = [await newOrg(eu, "eu"), await newOrg(us, "us"), await newOrg(eu, "eu")];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const run = { started_at: new Date().toISOString(), model: "m", usage };
    for (const [index, { key }] of orgs.entries()) {
      const body = { ...run, cost_usd: String(index + 1) };
      expect((await http("POST", `${us}/v1/runs`, { key, body })).status).toBe(201);
    }
    const spenders = async (base: string) => {
      const found: string[] = [];
      for (let cursor = ""; ;) {
        const path = `/v1/admin/overview?sort=-month_to_date_usd&limit=1${cursor}`;
        const page = await http("GET", base + path, operator);
        expect(page.body.unavailable_regions).toEqual([]);
        for (const entry of page.body.data) if (Number(entry.month_to_date_usd) > 0) found.push(entry.org_id);
        if (page.body.next_cursor === null) return found.filter((id) => orgs.some((org) => org.id === id));
        cursor = `&cursor=${page.body.next_cursor}`;
      }
    };
    const expected = orgs.map(({ id }) => id).toReversed();
    await expect.poll(() => spenders(eu), { interval: 1000 }).toEqual(expected);
    expect(await spenders(us)).toEqual(expected);
  });

  test("reads are served where they arrive, writes at home, and both say where", async () => {
    const org = await newOrg(eu, "eu");
    const read = await http("GET", `${us}/v1/orgs/${org.id}`, { key: org.key });
    expect([read.status, read.headers.get("x-svc-region")]).toEqual([200, "us"]);
    expect(read.body.home_region).toBe("eu");
    const body = { name: "Renamed" };
    const written = await http("PATCH", `${us}/v1/orgs/${org.id}`, { key: org.key, body });
    expect([written.status, written.headers.get("x-svc-region")]).toEqual([200, "eu"]);
    expect((await http("GET", `${eu}/v1/orgs/${org.id}`, { key: org.key })).body.name).toBe("Renamed");
  });

  test("a forwarded write returns the same bytes as at home, including replays", async () => {
    const org = await newOrg(eu, "eu");
    const minted = await http("POST", `${us}/v1/orgs/${org.id}/keys`, {
      key: org.key,
      body: { name: "k", role: "viewer" },
    });
    const path = `/v1/orgs/${org.id}/keys/${minted.body.id}/rotate`;
    const rotate = (base: string) =>
      http("POST", base + path, { key: org.key, body: {}, headers: { "idempotency-key": "once" } });
    const [away, home] = [await rotate(us), await rotate(eu)];
    expect(away.status).toBe(200);
    expect(home.text).toBe(away.text);
    expect(home.headers.get("idempotent-replayed")).toBe("true");
    const refused = (base: string) =>
      http("DELETE", `${base}/v1/orgs/${org.id}/keys/key_none`, { key: org.key });
    expect((await refused(us)).text).toBe((await refused(eu)).text);
  });

  test("a forwarded call keeps its trace and its caller's address", async () => {
    const org = await newOrg(eu, "eu");
    const headers = { "cf-connecting-ip": "198.51.100.77" };
    const body = { ip_allow_list: ["198.51.100.77"] };
    const set = await http("PATCH", `${us}/v1/orgs/${org.id}`, { key: org.key, body, headers });
    expect(set.status).toBe(200);
    const again = await http("PATCH", `${us}/v1/orgs/${org.id}`, { key: org.key, body, headers });
    expect(again.status).toBe(200);
    const other = { "cf-connecting-ip": "203.0.113.1" };
    const refused = await http("PATCH", `${us}/v1/orgs/${org.id}`, { key: org.key, body, headers: other });
    expect(refused.body.error.code).toBe("ip_not_allowed");
    const trace = again.headers.get("x-svc-trace-id") ?? "";
    const regions = () => {
      const lines = readFileSync(server.folder.log, "utf8").split("\n");
      const own = lines.filter((line) => line.includes(trace));
      return new Set(own.map((line) => JSON.parse(line).region));
    };
    await expect.poll(regions).toEqual(new Set(["eu", "us"]));
  });

  test("a key revoked at home no longer works in the other region when the revocation returns", async () => {
    const org = await newOrg(eu, "eu");
    const minted = await http("POST", `${eu}/v1/orgs/${org.id}/keys`, {
      key: org.key,
      body: { name: "k", role: "viewer" },
    });
    const read = () => http("GET", `${us}/v1/orgs/${org.id}`, { key: minted.body.key });
    expect((await read()).status).toBe(200);
    await http("DELETE", `${eu}/v1/orgs/${org.id}/keys/${minted.body.id}`, { key: org.key });
    expect((await read()).status).toBe(410);
  });

  test("a body that arrives through the other region changes nothing after a revocation", async () => {
    const org = await newOrg(eu, "eu");
    const keys = `/v1/orgs/${org.id}/keys`;
    const victim = await http("POST", eu + keys, { key: org.key, body: { name: "k", role: "admin" } });
    const slow = slowBody(JSON.stringify({ name: "x", role: "admin" }));
    const headers = { authorization: `Bearer ${victim.body.key}`, "content-type": "application/json" };
    // Node sends a stream only if it is told that the response comes afterwards.
    const init = { method: "POST", headers, body: slow.stream, duplex: "half" };
    const sent = fetch(us + keys, init);
    await slow.begun;
    const revoked = await http("DELETE", `${eu}${keys}/${victim.body.id}`, { key: org.key });
    expect(revoked.status).toBe(204);
    slow.finish();
    // Either region may notice first: the one that reads the body, or the one that acts on it.
    expect((await sent).status).toBe(410);
    expect((await http("GET", eu + keys, { key: org.key })).body.data).toHaveLength(2);
  });

  test("a rule that keeps an org in eu refuses it in us, and the call is not forwarded", async () => {
    const org = await newOrg(eu, "eu");
    const rule = `/v1/orgs/${org.id}/residency`;
    await http("PUT", us + rule, { key: org.key, body: { regions: ["eu"] } });
    const read = await http("GET", `${us}/v1/orgs/${org.id}`, { key: org.key });
    expect([read.status, read.body.error.code]).toEqual([403, "residency_violation"]);
    const body = { name: "Sneaked" };
    const written = await http("PATCH", `${us}/v1/orgs/${org.id}`, { key: org.key, body });
    expect(written.body.error.code).toBe("residency_violation");
    expect(written.headers.get("x-svc-region")).toBe("us");
    expect((await http("GET", `${eu}/v1/orgs/${org.id}`, { key: org.key })).body.name).toBe("Acme");
    expect((await http("PUT", us + rule, { key: org.key, body: { regions: null } })).status).toBe(200);
    expect((await http("GET", `${us}/v1/orgs/${org.id}`, { key: org.key })).status).toBe(200);
  });

  test("a rule includes the home, wherever it is set, and can name any other region", async () => {
    const org = await newOrg(eu, "eu");
    const rule = `/v1/orgs/${org.id}/residency`;
    for (const base of [eu, us]) {
      const refused = await http("PUT", base + rule, { key: org.key, body: { regions: ["us"] } });
      expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, "regions"]);
      const both = await http("PUT", base + rule, { key: org.key, body: { regions: ["us", "eu"] } });
      expect(both.body).toEqual({ regions: ["us", "eu"], home_region: "eu" });
    }
  });

  test("decisions are made where they arrive, from a lease of the home's limits", async () => {
    const org = await newOrg(eu, "eu");
    await limit(eu, org, "1000000");
    const decided = new Set<string | null>();
    for (let round = 0; round < 400 && !decided.has("edge"); round += 1) {
      const answer = await decide(us, org, "0.01");
      expect([answer.status, answer.headers.get("x-svc-region")]).toEqual([200, "us"]);
      decided.add(answer.headers.get("x-svc-decided"));
    }
    expect(decided).toContain("edge");
  });

  test("two regions together never exceed a limit, and use it up", async () => {
    const org = await newOrg(eu, "eu");
    await limit(us, org, "1");
    const attempts = Array.from({ length: 80 }, (_, index) => decide(index % 2 === 0 ? eu : us, org, "0.03"));
    const answers = await Promise.all(attempts);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(33);
    const denied = answers.filter((answer) => answer.status !== 200);
    expect(new Set(denied.map((answer) => answer.body.error.code))).toEqual(new Set(["budget_exceeded"]));
  });

  test("cohorts, which are in the home's database, are read there", async () => {
    const org = await newOrg(eu, "eu");
    const body = { name: "Alone", metric: "runs_per_day", org_ids: [org.id] };
    const made = await http("POST", `${eu}/v1/admin/benchmarks/cohorts`, { ...operator, body });
    expect(made.status).toBe(201);
    const path = `/v1/benchmarks/cohorts/${made.body.id}`;
    const read = await http("GET", us + path, { key: org.key });
    expect([read.status, read.headers.get("x-svc-region")]).toEqual([400, "eu"]);
    const elsewhere = await http("POST", `${us}/v1/admin/benchmarks/cohorts`, { ...operator, body });
    expect(elsewhere.status).toBe(422);
  });

  test("the operator reaches an org from either region", async () => {
    const org = await newOrg(eu, "eu");
    expect((await http("GET", `${us}/v1/admin/orgs/${org.id}`, operator)).body.id).toBe(org.id);
    const suspended = await http("POST", `${us}/v1/admin/orgs/${org.id}/suspend`, { ...operator, body: {} });
    expect(suspended.body.status).toBe("suspended");
    const read = await http("GET", `${us}/v1/orgs/${org.id}`, { key: org.key });
    expect(read.body.error.code).toBe("org_suspended");
    expect((await http("GET", `${us}/v1/admin/orgs/org_00000000000000000000000009`, operator)).status).toBe(
      404,
    );
  });
});

describe("an unreachable home", () => {
  test("is 503 for writes and reads, and nothing is done elsewhere instead", async () => {
    const eu = await start("eu", { us: "http://127.0.0.1:9" });
    const us = await start("us", { eu: eu.urls[0] });
    try {
      const org = await newOrg(us.urls[0], "eu");
      const url = `${us.urls[0]}/v1/orgs/${org.id}`;
      expect((await http("PATCH", url, { key: org.key, body: { name: "By address" } })).body.name).toBe(
        "By address",
      );
      await eu.dispose();
      for (const attempt of [
        await http("PATCH", url, { key: org.key, body: { name: "Lost" } }),
        await http("POST", `${us.urls[0]}/v1/admin/orgs`, {
          ...operator,
          body: { name: "x", home_region: "eu" },
        }),
      ]) {
        expect([attempt.status, attempt.body.error.code]).toEqual([503, "service_unavailable"]);
        expect(attempt.headers.get("x-svc-region")).toBe("us");
      }
      await new Promise((resolve) => setTimeout(resolve, 2100));
      expect((await http("GET", url, { key: org.key })).status).toBe(503);
    } finally {
      await eu.dispose().catch(() => {});
      await us.dispose();
    }
  });
});

test("a region whose name is wrong in another's settings gets a call once, and does not forward it", async () => {
  const [port = 0] = await claimPorts(0, 1);
  const itself = `http://127.0.0.1:${port}`;
  const server = await startServer({
    port,
    dataDir: temporaryFolder(),
    settings: { ...SECRETS, SVC_REGION: "us", SVC_REGIONS: JSON.stringify({ eu: itself }) },
  });
  try {
    const made = await http("POST", `${itself}/v1/admin/orgs`, {
      ...operator,
      body: { name: "Lost", home_region: "eu" },
    });
    expect([made.status, made.body.error.code]).toEqual([503, "service_unavailable"]);
    const lines = () => {
      const all = readFileSync(server.folder.log, "utf8").split("\n");
      return all.filter((line) => line.includes('"/v1/admin/orgs"'));
    };
    await expect.poll(lines).toHaveLength(2);
  } finally {
    await server.dispose();
  }
});
