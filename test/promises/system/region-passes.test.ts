import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../../scripts/server.ts";
import { type PassedRequest, type RegionPass, signPass } from "../../../src/domain/region/pass.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { http } from "../../support/http.ts";
import { type ServerFixture, serverFixture } from "../../support/server.ts";

/** Passes between regions, as someone between two of them, or with one of their secrets, could send them. */

const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
  SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
};
const OBJECT = "/internal/object";

let fixture: ServerFixture;
let eu: string;
let org: { id: string; key: string };

beforeAll(async () => {
  fixture = await serverFixture({ regions: ["eu", "us"], settings: SECRETS });
  [eu] = fixture.server.urls;
  const body = { name: "Acme", home_region: "eu" };
  const made = await http("POST", `${eu}/v1/admin/orgs`, { key: SECRETS.SVC_OPERATOR_KEY, body });
  org = { id: made.body.org.id, key: made.body.owner_key };
});
afterAll(() => fixture.end());

interface Sending {
  readonly secret?: string;
  readonly base?: string;
  readonly pass?: Partial<RegionPass>;
  readonly request?: Partial<PassedRequest>;
  readonly sentBody?: string;
}

/** A pass as us would make it for a call to eu, with some values replaced. */
function signed(sending: Sending, request: Partial<PassedRequest>): string {
  const pass: RegionPass = {
    at: Date.now(),
    from: "us",
    trace: "t",
    address: "203.0.113.7",
    nonce: randomUUID(),
    keeper: org.id,
    epoch: "",
    ...sending.pass,
  };
  const base = { to: "eu", method: "POST", target: OBJECT, authorization: null };
  return signPass(sending.secret ?? SECRETS.SVC_REGION_SECRET, pass, {
    ...base,
    ...request,
    ...sending.request,
  });
}

async function post(header: string, body: string, base = eu): Promise<Response> {
  return fetch(base + OBJECT, {
    method: "POST",
    headers: { "content-type": "application/json", "x-svc-region-pass": header },
    body,
  });
}

const WHERE = (): string => JSON.stringify({ org: org.id, method: "whereabouts", args: [] });

function send(sending: Sending = {}): Promise<Response> {
  const body = WHERE();
  return post(signed(sending, { body }), sending.sentBody ?? body, sending.base);
}

/** The object's epoch, which it tells to the sender of a pass that it does not accept. */
async function epoch(): Promise<string> {
  const answer = await send();
  await answer.text();
  return answer.headers.get("x-svc-region-epoch") ?? "";
}

describe("a pass to an object", () => {
  test("is accepted once, and does nothing the second time", async () => {
    const body = WHERE();
    const header = signed({ pass: { epoch: await epoch() } }, { body });
    const first = await post(header, body);
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('"homeRegion":"eu"')]);
    for (let again = 0; again < 3; again += 1) {
      const second = await post(header, body);
      expect([second.status, await second.text()]).toEqual([503, "{}"]);
    }
  });

  test("changes nothing the second time, though the first time it did", async () => {
    const own = `${eu}/v1/admin/orgs/${org.id}`;
    const operator = { key: SECRETS.SVC_OPERATOR_KEY };
    const actor = { kind: "operator", id: "operator", role: "operator", onBehalfOf: null, address: null };
    const envelope = { actor, trace: "t", idempotency: null, ifMatch: null };
    const body = JSON.stringify({ org: org.id, method: "execute", args: ["suspendOrg", {}, envelope] });
    const header = signed({ pass: { epoch: await epoch() } }, { body });
    expect((await post(header, body)).status).toBe(200);
    expect((await http("GET", own, operator)).body.status).toBe("suspended");
    expect((await http("POST", `${own}/resume`, operator)).status).toBe(200);
    expect((await post(header, body)).status).toBe(503);
    expect((await http("GET", own, operator)).body.status).toBe("active");
  });

  test("sent many times at once is accepted once", async () => {
    const body = WHERE();
    const header = signed({ pass: { epoch: await epoch() } }, { body });
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(header, body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("is not accepted by an object that has restarted since", async () => {
    const body = WHERE();
    const before = await epoch();
    const [used, unused] = [
      signed({ pass: { epoch: before } }, { body }),
      signed({ pass: { epoch: before } }, { body }),
    ];
    expect((await post(used, body)).status).toBe(200);
    await fixture.server.evict(org.id);
    for (const header of [used, unused]) expect((await post(header, body)).status).toBe(503);
    expect(await epoch()).not.toBe(before);
  });

  test.for<[string, Sending]>([
    ["signed with the pepper", { secret: SECRETS.SVC_KEY_PEPPER }],
    ["signed with the operator key", { secret: SECRETS.SVC_OPERATOR_KEY }],
    ["for another region", { request: { to: "us" } }],
    ["for another method", { request: { method: "PUT" } }],
    ["for another path", { request: { target: "/v1/runs" } }],
    ["for another body", { sentBody: '{"org":"org_2","method":"whereabouts","args":[]}' }],
    ["from a region that is none", { pass: { from: "mars" } }],
    ["from the region itself", { pass: { from: "eu" } }],
    ["too old", { pass: { at: Date.now() - 16_000 } }],
    ["from the future", { pass: { at: Date.now() + 3_600_000 } }],
  ])("%s is not a pass: 404", async ([, sending]) => {
    const answer = await send({ ...sending, pass: { epoch: await epoch(), ...sending.pass } });
    expect(answer.status).toBe(404);
    expect(JSON.parse(await answer.text()).error.code).toBe("not_found");
    expect(answer.headers.get("x-svc-region-epoch")).toBeNull();
  });
});

test("a forwarded call is done once: the same again is 503, and nothing is created", async () => {
  const target = `/v1/orgs/${org.id}/budgets`;
  const body = JSON.stringify({ scope_kind: "org", limit_usd: "5", period: "month", mode: "enforce" });
  const authorization = `Bearer ${org.key}`;
  const header = signed({ pass: { epoch: await epoch() } }, { target, authorization });
  const handOn = () =>
    fetch(eu + target, {
      method: "POST",
      headers: { "content-type": "application/json", authorization, "x-svc-region-pass": header },
      body,
    });
  expect((await handOn()).status).toBe(201);
  const again = await handOn();
  expect(again.status).toBe(503);
  expect(JSON.parse(await again.text()).error.code).toBe("service_unavailable");
  const listed = await http("GET", eu + target, { key: org.key });
  expect(listed.body.data).toHaveLength(1);
});

test("calls from the other region continue when the object at home has restarted", async () => {
  const us = fixture.server.urls[1] ?? "";
  const rename = (name: string) => http("PATCH", `${us}/v1/orgs/${org.id}`, { key: org.key, body: { name } });
  expect((await rename("One")).status).toBe(200);
  await fixture.server.evict(org.id);
  expect((await http("GET", `${us}/v1/orgs/${org.id}`, { key: org.key })).status).toBe(200);
  await expect.poll(async () => (await rename("Two")).status).toBe(200);
  const answer = await rename("Three");
  expect(answer.body.name).toBe("Three");
  expect([...answer.headers.keys()].filter((name) => name.startsWith("x-svc-region-"))).toEqual([]);
});

test("a server of one region has no such route, whatever is presented", async () => {
  const server = await startServer({ port: 0, dataDir: temporaryFolder(), settings: SECRETS });
  try {
    const base = server.urls[0];
    for (const secret of Object.values(SECRETS)) {
      const answer = await send({ base, secret, request: { to: "local" } });
      expect(answer.status).toBe(404);
    }
    const made = await http("POST", `${base}/v1/admin/orgs`, {
      key: SECRETS.SVC_OPERATOR_KEY,
      body: { name: "Alone" },
    });
    const path = `/v1/orgs/${made.body.org.id}`;
    const authorization = `Bearer ${made.body.owner_key}`;
    const body = { ip_allow_list: ["203.0.113.7"] };
    const set = await http("PATCH", base + path, {
      key: made.body.owner_key,
      body,
      headers: { "cf-connecting-ip": "203.0.113.7" },
    });
    expect(set.status).toBe(200);
    // An address claimed in a pass is not trusted.
    const header = signed({}, { to: "local", method: "GET", target: path, authorization });
    const claimed = await http("GET", base + path, {
      key: made.body.owner_key,
      headers: { "cf-connecting-ip": "198.51.100.1", "x-svc-region-pass": header },
    });
    expect(claimed.body.error.code).toBe("ip_not_allowed");
  } finally {
    await server.dispose();
  }
});
