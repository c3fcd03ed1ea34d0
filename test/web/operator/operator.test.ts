import { beforeAll, describe, expect, test } from "vitest";
import { ENTER_PATH, OPERATOR_PAGES } from "../../../src/web/operator/routes.ts";
import { listOrganizations } from "../../../src/web/operator/pages/organizations.tsx";
import { readMetricSums } from "../../../src/web/metrics.ts";
import type { OperatorVisit } from "../../../src/web/operator/visit.ts";
import { newOperatorSession, operatorCookie, operatorSession } from "../../../src/web/operator/session.ts";
import { settingsOf } from "../../../src/settings.ts";
import { browserWith, operatorSignIn, pairOf } from "../../support/operator-browser.ts";
import { signedIn } from "../../support/session.ts";
import { call, env, newOrg, operatorKey, serve, type TestOrg } from "../../support/worker.ts";

const ORIGIN = "http://sluice.test";
const ADDRESS = { "cf-connecting-ip": "203.0.113.77" };
const tokenIn = (page: string) => /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";

let org: TestOrg;
let cookie: string;

const get = (path: string, as = cookie) => browserWith(as).get(path);
const post = (path: string, fields: Record<string, string>, as = cookie) =>
  browserWith(as).post(path, fields);

beforeAll(async () => {
  org = await newOrg({ environment: "test" });
  const answer = await operatorSignIn(operatorKey());
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/operator"]);
  cookie = pairOf(answer);
});

const concrete = (path: string) =>
  path.replace(":id", org.id).replace(":grant_id", "grt_01M7HTM37XKXAVSGTYB4RGP8HM");
const read = () => OPERATOR_PAGES.filter(([method]) => method === "GET").map(([, path]) => concrete(path));
const written = () =>
  [...OPERATOR_PAGES.filter(([method]) => method === "POST").map(([, path]) => path), ENTER_PATH].map(
    concrete,
  );

describe("only an operator gets in", () => {
  test("an owner of an org, a support token and nobody at all are led away from every page", async () => {
    const { cookie: owner } = await signedIn(org.id, "owner");
    const grant = await call("POST", `/v1/orgs/${org.id}/support-grants`, {
      key: org.ownerKey,
      body: { scope: "read_only", reason: "Ticket 7.", expires_in_seconds: 3600 },
    });
    const opened = await call("POST", "/v1/admin/support-sessions", {
      key: operatorKey(),
      body: { grant_id: grant.body.id },
    });
    expect(opened.status).toBe(201);
    const { token } = opened.body as { token: string };
    const support = [`svc_support=${token}`, `svc_operator=${token}`];
    for (const as of ["", owner, ...support, "svc_operator=1", `svc_operator=${"x".repeat(80)}`]) {
      for (const path of read()) {
        const answer = await get(path, as);
        expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 303, "/operator/login"]);
      }
      for (const path of written()) expect([path, (await post(path, {}, as)).status]).toEqual([path, 403]);
    }
  });

  test("a key of an org does not sign in, and is not in the answer", async () => {
    for (const key of [org.ownerKey, "wrong", ""]) {
      const answer = await operatorSignIn(key);
      expect(answer.status).toBeGreaterThanOrEqual(401);
      expect(pairOf(answer)).not.toContain("svc_operator=");
      const text = await answer.text();
      expect(text).toContain("This is not the operator key.");
      if (key !== "") expect(text).not.toContain(`"${key}"`);
    }
  });

  test("a form without its token, or of another origin, changes nothing", async () => {
    const headers = { ...ADDRESS, cookie };
    for (const path of written()) {
      const body = new URLSearchParams({ _once: "1", _csrf: "x" });
      expect((await serve(ORIGIN + path, { method: "POST", headers, body, redirect: "manual" })).status).toBe(
        403,
      );
    }
    const csrf = tokenIn(await (await get("/operator/plans")).text());
    const body = new URLSearchParams({ _once: "2", _csrf: csrf });
    const elsewhere = { ...headers, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const answer = await serve(`${ORIGIN}/operator/orgs/${org.id}/suspend`, {
      method: "POST",
      headers: elsewhere,
      body,
    });
    expect(answer.status).toBe(403);
    expect((await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey })).body.status).toBe("active");
  });

  test("a session ends after an hour without use, after half a day, and with the operator key", () => {
    const settings = settingsOf(env);
    const now = Date.now();
    const made = newOperatorSession(now);
    const seen = (ms: number) => {
      const [pair = ""] = operatorCookie(new Request(ORIGIN), settings, made, now + ms).split(";");
      return new Request(ORIGIN, { headers: { cookie: pair } });
    };
    const hour = 3_600_000;
    expect(operatorSession(seen(0), settings, now + hour - 1)).toMatchObject({ id: made.id });
    expect(operatorSession(seen(0), settings, now + hour)).toBeNull();
    expect(operatorSession(seen(11.5 * hour), settings, now + 12 * hour - 1)).toMatchObject({ id: made.id });
    expect(operatorSession(seen(11.5 * hour), settings, now + 12 * hour)).toBeNull();
    const other = { ...settings, SVC_OPERATOR_KEY: `${settings.SVC_OPERATOR_KEY}2` };
    expect(operatorSession(seen(0), other, now)).toBeNull();
  });
});

describe("sessions of operators", () => {
  const endOf = (page: string, id: string) => page.includes(`/operator/sessions/${id}/end`);
  const idOf = (pair: string) => pair.split(".")[2] ?? "";

  test("are listed, and each is ended by itself", async () => {
    const [one, other] = [
      pairOf(await operatorSignIn(operatorKey())),
      pairOf(await operatorSignIn(operatorKey())),
    ];
    const before = await (await get("/operator/sessions", one)).text();
    expect([endOf(before, idOf(one)), endOf(before, idOf(other))]).toEqual([true, true]);
    const ended = await post(`/operator/sessions/${idOf(other)}/end`, {}, one);
    expect([ended.status, ended.headers.get("location")]).toEqual([303, "/operator/sessions?notice=revoked"]);
    expect((await get("/operator/plans", other)).headers.get("location")).toBe("/operator/login");
    expect((await post("/operator/plans", { plan: "stolen" }, other)).status).toBe(403);
    expect((await get("/operator/plans", one)).status).toBe(200);
    expect((await get("/operator/plans")).status).toBe(200);
  });

  test("end with sign-out, also for whoever has copied the cookie", async () => {
    const mine = pairOf(await operatorSignIn(operatorKey()));
    const headers = { ...ADDRESS, cookie: mine };
    const elsewhere = { ...headers, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const leave = (sent: Record<string, string>) =>
      serve(`${ORIGIN}/operator/logout`, { method: "POST", headers: sent, redirect: "manual" });
    expect((await leave(elsewhere)).status).toBe(403);
    expect((await get("/operator", mine)).status).toBe(200);
    expect((await leave(headers)).headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await get("/operator", mine)).headers.get("location")).toBe("/operator/login");
  });
});

describe("the price book", () => {
  const book = async () =>
    (await call("GET", "/v1/admin/price-book", { key: operatorKey() })).body as {
      revision: number;
      models: { model: string; input_usd_per_mtok: string; tiers: unknown[]; aliases: string[] }[];
    };
  const priceOf = async (model: string) => (await book()).models.find((one) => one.model === model);
  const form = async (fields: Record<string, string>) => ({
    revision: String((await book()).revision),
    input_usd_per_mtok: "1.5",
    output_usd_per_mtok: "6",
    ...fields,
  });
  const tiers = [{ above_input_tokens: 1000, input_usd_per_mtok: "9" }];

  test("changes one price and keeps the others, and what the form does not show", async () => {
    // All files share the platform's book.
    await call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: { models: [] } });
    const { models } = await book();
    expect(models).toEqual([]);
    expect(await (await get("/operator/price-book")).text()).toContain("No prices yet");
    const made = { model: "hand/tiered", input_usd_per_mtok: "1", output_usd_per_mtok: "2", tiers };
    const other = { ...made, model: "hand/other", aliases: ["hand/o"] };
    await call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: { models: [made, other] } });
    const drawn = await (await get("/operator/price-book/price?model=hand%2Ftiered")).text();
    expect(drawn).toContain("Not changed here: its 1 tier.");
    const saved = await post("/operator/price-book/price", await form({ model: "hand/tiered" }));
    expect([saved.status, saved.headers.get("location")]).toEqual([303, "/operator/price-book?notice=saved"]);
    expect(await priceOf("hand/tiered")).toMatchObject({ input_usd_per_mtok: "1.50" });
    expect((await priceOf("hand/tiered"))?.tiers).toHaveLength(1);
    expect(await priceOf("hand/other")).toMatchObject({ input_usd_per_mtok: "1.00", aliases: ["hand/o"] });
    expect(await (await get("/operator/price-book")).text()).toContain("price?model=hand%2Ftiered");
    expect(await (await get("/operator/price-book?model=none")).text()).toContain("Nothing matches");
  });

  test("adds a price, removes it after a confirmation, and names what is wrong", async () => {
    expect((await post("/operator/price-book/price", await form({ model: "hand/new" }))).status).toBe(303);
    expect(await priceOf("hand/new")).toBeDefined();
    const wrong = await post(
      "/operator/price-book/price",
      await form({ model: "hand/new", input_usd_per_mtok: "free" }),
    );
    expect([wrong.status, (await wrong.text()).includes('aria-invalid="true"')]).toEqual([422, true]);
    expect((await post("/operator/price-book/remove?model=hand%2Fnew", {})).status).toBe(303);
    expect(await priceOf("hand/new")).toBeUndefined();
    expect(await priceOf("hand/other")).toBeDefined();
  });

  test("does not overwrite what another changed since the form was opened", async () => {
    const opened = await form({ model: "hand/other" });
    await post("/operator/price-book/price", await form({ model: "hand/other", input_usd_per_mtok: "3" }));
    const late = await post("/operator/price-book/price", opened);
    expect([late.status, (await late.text()).includes("has changed since")]).toEqual([409, true]);
    expect(await priceOf("hand/other")).toMatchObject({ input_usd_per_mtok: "3.00" });
  });
});

describe("an operator", () => {
  test("sees every page, and finds an org by its name and by its id", async () => {
    for (const path of read()) expect([path, (await get(path)).status]).toEqual([path, 200]);
    const { name } = (await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey })).body;
    const found = await (await get(`/operator?q=${encodeURIComponent(String(name).toUpperCase())}`)).text();
    expect(found).toContain(`/operator/orgs/${org.id}`);
    expect(await (await get("/operator?q=no-such-name-at-all")).text()).toContain("Nothing matches");
    expect((await get(`/operator?q=${org.id}`)).headers.get("location")).toBe(`/operator/orgs/${org.id}`);
    expect((await get("/operator/orgs/org_none")).status).toBe(404);
  });

  test("creates an org and gets its owner key, suspends and resumes it, and changes its plan", async () => {
    const made = await (await post("/operator/orgs", { name: "By <hand>", environment: "test" })).text();
    const [, key = ""] = /<code>(svc_test_[^<]+)<\/code>/.exec(made) ?? [];
    const [, id = ""] = /\/operator\/orgs\/(org_\w+)/.exec(made) ?? [];
    expect(made).toContain("By &lt;hand&gt;");
    const status = async () =>
      (await call("GET", `/v1/admin/orgs/${id}`, { key: operatorKey() })).body.status;
    expect((await call("GET", `/v1/orgs/${id}`, { key })).status).toBe(200);
    expect((await post(`/operator/orgs/${id}/suspend`, {})).status).toBe(303);
    expect(await status()).toBe("suspended");
    expect((await post(`/operator/orgs/${id}/resume`, {})).status).toBe(303);
    expect(await status()).toBe("active");
    const plan = { plan: `p-${Date.now()}`, runs_limit: "100", tokens_limit: "", overage_policy: "block" };
    expect((await post("/operator/plans", plan)).status).toBe(303);
    expect((await post(`/operator/orgs/${id}/change`, { name: "Renamed", plan: plan.plan })).status).toBe(
      303,
    );
    expect((await call("GET", `/v1/orgs/${id}/plan`, { key })).body).toMatchObject({
      plan: plan.plan,
      runs_limit: 100,
    });
    const refused = await post("/operator/orgs", { name: "" });
    expect([refused.status, (await refused.text()).includes("Create organization")]).toEqual([422, true]);
  });

  test("tops up a prepaid org once, however often the form is sent", async () => {
    expect((await post(`/operator/orgs/${org.id}/prepay`, { low_balance_usd: "1" })).status).toBe(303);
    const once = { amount_usd: "25.00", _once: "top-up-once" };
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await post(`/operator/orgs/${org.id}/top-up`, once)).status).toBe(303);
    }
    const quota = await call("GET", `/v1/orgs/${org.id}/quota`, { key: org.ownerKey });
    expect(quota.body.balance_usd).toBe("25.00");
    expect((await post(`/operator/orgs/${org.id}/top-up`, { amount_usd: "many" })).status).toBe(422);
  });

  test("says under a grant that what is missing is outside its scope", async () => {
    const other = await newOrg();
    const grant = await call("POST", `/v1/orgs/${other.id}/support-grants`, {
      key: other.ownerKey,
      body: { scope: "billing_read", reason: "Ticket 4412.", expires_in_seconds: 3600 },
    });
    const inside = pairOf(await post(`/operator/orgs/${other.id}/enter/${grant.body.id}`, {}));
    const page = await (await get("/console", inside)).text();
    expect(page.match(/outside the scope of the support grant/g)).toHaveLength(3);
    expect(page).not.toContain("cannot be read right now");
    const made = await call("POST", `/v1/orgs/${other.id}/budgets`, {
      key: other.ownerKey,
      body: { scope_kind: "org", limit_usd: "1.00", period: "month" },
    });
    const budget = await (await get(`/console/budgets/${made.body.id}`, inside)).text();
    expect(budget.match(/outside the scope of the support grant/g)).toHaveLength(5);
    expect(budget).not.toContain("refused nothing");
    await call("POST", `/v1/orgs/${other.id}/customer-limits`, {
      key: other.ownerKey,
      body: { customer_id: "globex", limit_usd: "1.00", period: "month" },
    });
    const customer = await (await get("/console/customers/globex", inside)).text();
    expect(customer.match(/outside the scope of the support grant/g)).toHaveLength(4);
    expect(customer).not.toContain("No runs.");
  });

  test("shows what is wrong with a form of an org beside its field, and keeps the input", async () => {
    const { id } = await newOrg({ environment: "test" });
    const path = `/operator/orgs/${id}`;
    await post(`${path}/prepay`, {});
    for (const [form, fields, field] of [
      ["top-up", { amount_usd: "-5" }, "amount_usd"],
      ["top-up", { amount_usd: "12,50" }, "amount_usd"],
      ["change", { name: "Acme", plan: "nonsense" }, "plan"],
    ] as const) {
      const answer = await post(`${path}/${form}`, fields);
      const page = await answer.text();
      expect([form, answer.status]).toEqual([form, 422]);
      expect(page).toContain(`id="${field}-error"`);
      if (form === "top-up") expect(page).toContain(`value="${fields.amount_usd}"`);
    }
    expect(await (await get(path)).text()).toMatch(/<select id="plan"|<select [^>]*name="plan"/);
  });

  test("asks before it makes an org prepaid, and undoes it", async () => {
    const { id, ownerKey } = await newOrg({ environment: "test" });
    const path = `/operator/orgs/${id}`;
    const balance = async () => (await call("GET", `/v1/orgs/${id}/quota`, { key: ownerKey })).status;
    const page = await (await get(path)).text();
    expect(page).toMatch(/<div class="ask"[^>]*><form method="post" action="[^"]+\/prepay"/);
    expect(page).toContain("its calls are refused until it is topped up");
    expect((await post(`${path}/prepay`, { low_balance_usd: "low" })).status).toBe(422);
    expect(await balance()).toBe(404);
    const made = await post(`${path}/prepay`, { low_balance_usd: "" });
    expect(made.headers.get("location")).toBe(`${path}?notice=prepaid`);
    expect(await balance()).toBe(200);
    expect(await (await get(path)).text()).toContain("Stop prepaying");
    const undone = await post(`${path}/stop-prepay`, {});
    expect(undone.headers.get("location")).toBe(`${path}?notice=not_prepaid`);
    expect(await balance()).toBe(404);
  });

  test("enters an org under its grant, reads what it covers, changes nothing, and leaves", async () => {
    const other = await newOrg();
    const grant = await call("POST", `/v1/orgs/${other.id}/support-grants`, {
      key: other.ownerKey,
      body: { scope: "read_only", reason: "Ticket 4411.", expires_in_seconds: 3600 },
    });
    const entered = await post(`/operator/orgs/${other.id}/enter/${grant.body.id}`, {});
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console"]);
    const inside = pairOf(entered);
    const page = await (await get("/console/budgets", inside)).text();
    expect(page).toContain("Ticket 4411.");
    const body = new URLSearchParams({ _once: "1", _csrf: "" });
    const headers = { ...ADDRESS, cookie: inside };
    const sent = await serve(`${ORIGIN}/console/budgets`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
    });
    expect(sent.status).toBe(403);
    const left = await serve(`${ORIGIN}/console/logout`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
    });
    expect([left.headers.get("location"), left.headers.get("set-cookie")]).toEqual([
      "/operator",
      expect.stringContaining("Max-Age=0"),
    ]);
    await call("DELETE", `/v1/orgs/${other.id}/support-grants/${grant.body.id}`, { key: other.ownerKey });
    expect((await get("/console/budgets", inside)).headers.get("location")).toContain("/console/login");
    expect(
      (await post(`/operator/orgs/${other.id}/enter/${grant.body.id}`, {})).status,
    ).toBeGreaterThanOrEqual(400);
  });
});

describe("the first page", () => {
  const ROW = {
    org_id: "org_1",
    name: "Acme",
    environment: "live",
    status: "active",
    plan: "growth",
    failing_webhooks: 2,
    deprecated_callers: 0,
    open_support_grants: 1,
    month_to_date_usd: "1.00",
    plan_use: 0.36,
    last_call_at: null,
    calls_per_minute: 0,
    last_hour: null,
  };
  const WELL = { database: "ok", archive: "ok", object: "ok" };

  /** The page over what is given, and what it asked the API for. */
  async function drawn(query: Record<string, string>, given: { rows?: object[]; state?: object }) {
    const { rows = [ROW], state } = given;
    const asked: string[] = [];
    const body = { data: rows, next_cursor: "further", unavailable_regions: [] };
    const answer = async (path: string) => {
      asked.push(path);
      return { status: 200, body, error: null };
    };
    const now = { health: WELL, metrics: {}, ...state };
    const visit = { api: { get: answer }, health: async () => now.health, metrics: async () => now.metrics };
    const ask = { path: "/operator", params: {}, query: new URLSearchParams(query), form: EMPTY, views: [] };
    const shown = await listOrganizations(visit as unknown as OperatorVisit, ask);
    const page = "content" in shown ? (shown.content as { toString(): string }).toString() : "";
    return { asked, page };
  }
  const EMPTY = new URLSearchParams();

  test("says how far a search went and goes on from there, and a plan's use is a share", async () => {
    const { asked, page } = await drawn({ q: "acme", cursor: "from-here" }, {});
    expect([asked.length, asked[0]?.includes("cursor=from-here")]).toEqual([25, true]);
    for (const text of [
      "5,000 organizations were searched",
      "cursor=further",
      "36 % used",
      "2 failing webhooks",
    ]) {
      expect(page).toContain(text);
    }
    expect(page).not.toContain("deprecated caller");
  });

  test("shows the last hour of each org, by minute, and says what the period is", async () => {
    const minutes = (last: number, before = 0) => [...Array.from({ length: 59 }, () => before), last];
    const last_hour = {
      calls: minutes(1259, 1),
      refusals: minutes(7),
      errors: minutes(0),
      slowest_wait_ms: 2345,
    };
    const { page } = await drawn({}, { rows: [{ ...ROW, last_hour, calls_per_minute: 40 }, ROW] });
    const cells = (title: string) =>
      Array.from(
        page.matchAll(new RegExp(`data-title="${title}"><div>(.*?)</div>`, "g")),
        ([, cell]) => cell,
      );
    expect(cells("Calls")[0]).toMatch(/^1,318<svg .*40 in the last minute/);
    expect(cells("Calls")[0]).toContain('aria-label="Calls by minute: at most 1,259, 1,259 at the end"');
    expect(cells("Calls")[0]).toMatch(/<polyline points="0,20.0 .* 59,0.0">/);
    expect(cells("Refused")[0]).toMatch(/^7<svg /);
    expect(cells("Errors")).toEqual(["0", "–"]);
    expect(cells("Slowest")).toEqual(["2,345 ms", "–"]);
    expect(page).toContain("Calls are of the last 60 minutes");
  });

  test("shows the archive, webhooks and due work, and what cannot be read", async () => {
    const metrics = {
      svc_archive_failures_total: 3,
      svc_webhook_failing: 2,
      svc_due_oldest_seconds: 60,
      svc_export_lag_seconds: 7260,
    };
    const tile = (page: string, label: string) =>
      new RegExp(`<dt>${label}</dt><dd>(.*?)</dd>`).exec(page)?.[1]?.replaceAll(/<[^>]*>/g, "");
    const LABELS = ["Archive", "Webhooks", "Due work", "Exports", "Database and objects"];
    const told = async (state: object) => {
      const { page } = await drawn({}, { state });
      return LABELS.map((label) => tile(page, label));
    };
    expect(await told({ metrics })).toEqual(["answers", "2 failing", "on time", "121 min late", "answers"]);
    expect((await drawn({}, { state: { metrics } })).page).toContain("3 failed reads and writes");
    const bad = { database: "ok", archive: "unbound", object: "too_slow" };
    const late = {
      ...metrics,
      svc_due_oldest_seconds: 61,
      svc_webhook_failing: 0,
      svc_export_lag_seconds: 0,
    };
    expect(await told({ metrics: late, health: bad })).toEqual([
      "not used",
      "0 failing",
      "1 min late",
      "on time",
      "too slow",
    ]);
    expect(await told({ metrics: null })).toEqual(["answers", "not read", "not read", "not read", "answers"]);
  });

  test("sorts by a column, and then asks for as many as it can", async () => {
    const named = (name: string) => ({ ...ROW, name });
    const { asked } = await drawn(
      { order: "organizations.organization" },
      { rows: [named("b"), named("a")] },
    );
    expect(asked).toEqual(["/v1/admin/overview?limit=200&sort=-month_to_date_usd"]);
    const listed = await (await get("/operator?order=organizations.organization")).text();
    expect(listed).toContain('aria-sort="ascending"');
    expect(listed).toContain("/operator?order=-organizations.organization");
    expect(await (await get("/operator/plans?order=-plans.plan")).text()).toContain('aria-sort="descending"');
  });

  test("counts calls as they come", async () => {
    const { name } = (
      await call("PATCH", `/v1/orgs/${org.id}`, {
        key: org.ownerKey,
        body: { name: `Counted ${org.id}` },
      })
    ).body;
    const page = await (await get(`/operator?q=${encodeURIComponent(name)}`)).text();
    expect(page).toMatch(/data-title="Calls"><div>[1-9]\d*<svg class="sparkline"/);
  });
});

test("metrics are added up over their labels", async () => {
  await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
  await call("GET", `/v1/orgs/${org.id}/plan`, { key: org.ownerKey });
  const sums = await readMetricSums(env);
  const text = await (await serve(`${ORIGIN}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith("svc_runs_total{"));
  expect(lines.length).toBeGreaterThan(1);
  expect(sums.svc_runs_total).toBe(lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0));
  expect(sums.svc_requests_total).toBeGreaterThan(1);
});
