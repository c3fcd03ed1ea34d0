import { beforeAll, describe, expect, test } from "vitest";
import { DIMENSION_NAMES } from "../../../src/contract/dimensions.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

/** The questions that the console answers: who spends, what runs out, what was refused and why. */

let org: TestOrg;
let browser: Browser;
let trace: string;
let reservation: string;
const send = (method: string, path: string, body: object) => call(method, path, { key: org.ownerKey, body });

beforeAll(async () => {
  org = await newOrg({ environment: "test" });
  browser = await signedIn(org.id, "viewer");
  const at = `/v1/orgs/${org.id}`;
  const budget = {
    scope_kind: "workflow",
    scope_id: "w",
    limit_usd: "1.00",
    period: "month",
    name: "<b>Small</b>",
  };
  await send("POST", `${at}/budgets`, budget);
  await send("POST", `${at}/customer-limits`, { customer_id: "globex", limit_usd: "90.00", period: "month" });
  await send("POST", `${at}/credit-packs`, { customer_id: "globex", amount_usd: "20.00" });
  const run = {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    customer_id: "globex",
    usage: { input_tokens: 1, output_tokens: 1 },
    tags: { team: "core" },
  };
  for (const [id, cost_usd] of [
    ["cheap", "1.00"],
    ["dear", "7.123456789"],
  ]) {
    expect((await send("POST", "/v1/runs", { ...run, id, cost_usd })).status).toBe(201);
  }
  const { customer_id: _, tags: __, ...plain } = { ...run, id: "plain", cost_usd: "0.50" };
  expect((await send("POST", "/v1/runs", plain)).status).toBe(201);
  const allowed = await send("POST", "/v1/edge/decision", { model: "m", estimate: { cost_usd: "0.01" } });
  reservation = allowed.body.reservation.id;
  const refused = await send("POST", "/v1/edge/decision", { workflow_id: "w", estimate: { cost_usd: "9" } });
  expect(refused.status).toBe(402);
  trace = refused.headers.get("x-svc-trace-id") ?? "";
  const kept = await call("GET", `${at}/refusals`, { key: org.ownerKey });
  expect(kept.body.data).toHaveLength(1);
});

const text = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

describe("the overview", () => {
  test("leads from the top customer to its most expensive runs", async () => {
    const page = await text("/console");
    const [, link = ""] = /href="(\/console\/runs\?customer_id=globex[^"]*)"/.exec(page) ?? [];
    expect(link).toContain("sort=-cost_usd");
    const runs = await text(link.replaceAll("&amp;", "&"));
    expect(runs.indexOf("/console/runs/dear")).toBeLessThan(runs.indexOf("/console/runs/cheap"));
    expect(runs.indexOf("/console/runs/dear")).toBeGreaterThan(0);
  });

  test("rounds amounts to cents, and keeps the exact one to copy", async () => {
    const page = await text("/console");
    expect(page).toContain('title="$8.123456789" data-shown="$8.12"');
  });

  test("shows what runs out and what was refused, with its limit by name, escaped", async () => {
    const page = await text("/console");
    expect(page).toContain("What runs out next");
    expect(page).toMatch(/href="\/console\/refusals\?code=budget_exceeded&amp;from=/);
    expect(page).toMatch(/href="\/console\/refusals\?limit_id=bud_\w+&amp;from=/);
    expect(page).toContain("&lt;b&gt;Small&lt;/b&gt;");
    expect(page).not.toContain("<b>Small");
  });

  test.each([...DIMENSION_NAMES, "tag&tag=team"])(
    "divides spending by %s, and its runs by the same",
    async (by) => {
      const page = await text(`/console?range=7d&by=${by}`);
      const [name = ""] = by.split("&");
      expect(page).toMatch(new RegExp(`<a href="[^"]*by=${name}[^"]*" aria-current="true">`));
      expect(page).toMatch(/data-shown="\$8\.(12|62)"/);
      expect(await text("/console/runs")).toContain(`name="${name}"`);
    },
  );

  const runsBehind = async (page: string, filter: string) => {
    const [, link = ""] = new RegExp(`href="(/console/runs\\?${filter}[^"]*)"`).exec(page) ?? [];
    expect([filter, link]).toEqual([filter, expect.stringContaining("sort=-cost_usd")]);
    const runs = await text(link.replaceAll("&amp;", "&"));
    return ["dear", "cheap", "plain"].filter((id) => runs.includes(`/console/runs/${id}"`));
  };

  test("leads from a tag to its runs, and from what names none to runs without it", async () => {
    const byTag = await text("/console?by=tag&tag=team");
    expect(await runsBehind(byTag, "tag=team%3Acore")).toEqual(["dear", "cheap"]);
    expect(await runsBehind(byTag, "without=tag%3Ateam")).toEqual(["plain"]);
    const byUser = await text("/console?by=user_id");
    expect(await runsBehind(byUser, "without=user_id")).toEqual(["dear", "cheap", "plain"]);
    expect(await runsBehind(await text("/console"), "without=customer_id")).toEqual(["plain"]);
  });

  test("leads from each limit, each day of the chart and what is reserved to what is behind it", async () => {
    const page = await text("/console");
    expect(await runsBehind(page, "limit_id=clm_\\w+&amp;customer_id=globex&amp;charged_from=")).toEqual([
      "dear",
      "cheap",
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect(page).toMatch(
      new RegExp(`<a href="/console/runs\\?from=${today}&amp;to=[\\d-]+&amp;sort=-cost_usd"><title>`),
    );
    expect(page).toMatch(/<a href="\/console\/budgets"><span[^>]*>\$0\.01/);
  });

  test("says that no run has a tag", async () => {
    expect(await text("/console?by=tag&tag=none")).toContain("No run has this tag.");
  });

  test("shows the clock of a test organization, and offers a viewer no change", async () => {
    const page = await text("/console");
    expect(page).toContain("Test organization.");
    expect(page).not.toContain("Create a budget");
  });
});

/** Where a page leads at once. */
const leadsTo = (page: string): string | null =>
  /<meta http-equiv="refresh" content="0;url=([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? null;

describe("the search", () => {
  const to = async (q: string) => {
    const answer = await browser.get(`/console/search?${new URLSearchParams({ q })}`);
    return [answer.status, answer.headers.get("location") ?? leadsTo(await answer.text())];
  };

  test("finds calls, runs, reservations, decisions, keys and customers", async () => {
    expect(await to(trace)).toEqual([200, `/console/explain?trace_id=${trace}`]);
    expect(await to(" dear ")).toEqual([200, "/console/runs/dear"]);
    expect(await to("globex")).toEqual([200, "/console/customers/globex"]);
    const explained = `/console/explain?reservation_id=${reservation}`;
    expect(await to(reservation)).toEqual([303, explained]);
    expect(await to(reservation.replace("rsv_", "dec_"))).toEqual([303, explained]);
    expect(await to("key_01ARZ3NDEKTSV4RRFFQ69G5FAV")).toEqual([
      303,
      "/console/keys/key_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ]);
    expect(await to("")).toEqual([200, null]);
  });

  test("says if nothing has the id, whatever it is", async () => {
    for (const q of ["nothing", "<script>", "ü", "x".repeat(5000), "../../v1/orgs"]) {
      const answer = await browser.get(`/console/search?${new URLSearchParams({ q })}`);
      const page = await answer.text();
      expect([q, answer.status, leadsTo(page)]).toEqual([q, 200, null]);
      expect(page).toContain("Nothing has this name or id");
      expect(page).not.toContain("<script>");
    }
  });

  test("is on every page", async () => {
    for (const path of ["/console", "/console/keys", "/console/audit", "/console/settings"]) {
      const answer = await (await browser.get(path)).text();
      expect([path, /<input name="q"/.test(answer)]).toEqual([path, true]);
    }
  });
});

describe("explain", () => {
  test("names the limit that refused a call, and every check in order", async () => {
    const page = await text(`/console/explain?trace_id=${trace}`);
    expect(page).toContain("Refused by &lt;b&gt;Small");
    expect(page).toMatch(/href="\/console\/budgets\/bud_\w+"/);
    expect(page.indexOf("Rate limit")).toBeLessThan(page.indexOf("Spend cap"));
  });

  test("tells whether a call would pass, and reserves nothing", async () => {
    const ask = (query: Record<string, string>) => text(`/console/explain?${new URLSearchParams(query)}`);
    const dear = { "estimate.cost_usd": "5.00", workflow_id: "w" };
    expect(await ask(dear)).toContain("Refused by");
    expect(await ask({ ...dear, "estimate.cost_usd": "0.50" })).toContain("It passes");
    const wrong = await browser.get("/console/explain?estimate.cost_usd=five");
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('value="five"');
  });
});

describe("the pages of refusals and customers", () => {
  test("refusals are filtered by limit and by code", async () => {
    const page = await text("/console/refusals?code=budget_exceeded");
    expect(page).toContain(trace);
    const limit = /bud_[0-9A-Z]{26}/.exec(page)?.[0] ?? "";
    expect(await text(`/console/refusals?limit_id=${limit}`)).toContain(trace);
    expect(await text("/console/refusals?limit_id=bud_other")).not.toContain(trace);
  });

  test("a customer's page has its standing, limits, packs with their ledger and runs", async () => {
    const page = await text("/console/customers/globex");
    for (const part of [
      "This month",
      "Credit packs",
      "Ledger of the packs",
      "Granted",
      "/console/runs/dear",
    ]) {
      expect([part, page.includes(part)]).toEqual([part, true]);
    }
    expect(await text("/console/customers")).toContain("/console/customers/globex");
  });

  test("a customer's page has a range, its trend, a forecast or why there is none, and what is left", async () => {
    const page = await text("/console/customers/globex?range=7d");
    expect(page).toMatch(/href="\/console\/customers\/globex\?range=7d" aria-current="true"/);
    expect(page).toMatch(/<h2>Trend<\/h2>.*?<a href="\/console\/runs\?customer_id=globex&amp;from=/s);
    expect(page).toMatch(/data-shown="\$8\.12"><span>\$8\.123456789<\/span><\/span><\/a> in 2 runs/);
    expect(page).toContain("There is no forecast of these days");
    expect(page).toMatch(/<dt>Left of its limit<\/dt><dd><span class="number usd" title="\$81\.876543211"/);
    const before = await text("/console/customers/globex?range=custom&from=2026-01-01&to=2026-01-05");
    expect(before).toContain("1 Jan to 4 Jan:");
    expect(before).toMatch(/<span class="number">\$0\.00<\/span><\/a> in 0 runs/);
  });

  test("what a customer pays is set by admins, and seen by whoever reads for the org", async () => {
    const admin = await signedIn(org.id, "admin");
    const page = async (at: Browser, path: string) => (await at.get(path)).text();
    const refused = await browser.post("/console/customers/globex", { "revenue.markup": "1" });
    expect(refused.status).toBe(403);
    const wrong = await admin.post("/console/customers/globex", { "revenue.markup": "-1" });
    expect([wrong.status, (await wrong.text()).includes("without sign")]).toEqual([422, true]);
    expect(await page(admin, "/console/customers/globex")).not.toContain("revenue less cost");
    const saved = await admin.post("/console/customers/globex", {
      name: "Globex Corp",
      "revenue.markup": "1",
    });
    expect(saved.headers.get("location")).toBe("/console/customers/globex?notice=saved");
    const shown = await page(admin, "/console/customers/globex");
    for (const part of ["Globex Corp", "revenue less cost", "16.246913578", "8.123456789"]) {
      expect([part, shown.includes(part)]).toEqual([part, true]);
    }
    expect(await page(admin, "/console/customers")).toContain("16.246913578");
    for (const path of ["/console/customers/globex", "/console/customers"]) {
      expect([path, (await text(path)).includes("16.246913578")]).toEqual([path, true]);
    }
    expect(await text("/console/audit")).not.toContain("16.246913578");
    expect(await text("/console/customers")).toContain("Margin");
    await admin.post("/console/customers/globex", {});
  });

  test("a token is for admins, and is shown in the answer alone", async () => {
    expect(await text("/console/customers/globex")).not.toContain("Create a token");
    const refused = await browser.post("/console/customers/globex/tokens", { ttl_seconds: "900" });
    expect(refused.status).toBe(403);
    const admin = await signedIn(org.id, "admin");
    const made = await admin.post("/console/customers/globex/tokens", { ttl_seconds: "900" });
    expect(made.status).toBe(201);
    const token = /svc_customer_\w+/.exec(await made.text())?.[0] ?? "";
    expect((await call("GET", "/v1/customer", { key: token })).body.customer_id).toBe("globex");
    for (const path of ["/console/customers/globex", "/console/audit", "/console/events"]) {
      expect([path, (await (await admin.get(path)).text()).includes(token)]).toEqual([path, false]);
    }
  });
});

describe("the search by names", () => {
  const find = async (at: Browser, q: string) => {
    const answer = await at.get(`/console/search?${new URLSearchParams({ list: "1", q })}`);
    const page = await answer.text();
    const links = page.matchAll(/<a href="([^"]+)" data-kind="([^"]+)">([^<]*)<\/a>/g);
    return { page, hits: Array.from(links, ([, href, kind, title]) => `${kind}: ${title} ${href}`) };
  };

  test("finds customers, users, keys, budgets, models, policies and pages", async () => {
    const own = await newOrg();
    const at = `/v1/orgs/${own.id}`;
    const set = (method: string, path: string, body: object) =>
      call(method, path, { key: own.ownerKey, body });
    await set("PUT", `${at}/customers/cus-1`, { name: "Zebra <b>Corp</b>" });
    await set("POST", `${at}/budgets`, {
      name: "Zebra crossing",
      scope_kind: "org",
      limit_usd: "5",
      period: "day",
    });
    await set("POST", `${at}/keys`, { name: "the zebra key", role: "viewer" });
    await set("PUT", `${at}/models/acme%2Fzebra`, { input_usd_per_mtok: "1", output_usd_per_mtok: "1" });
    const rule = { target: "model", effect: "deny", when: "false", reason: "No zebras.", priority: 1 };
    await set("POST", `${at}/policy-rules`, { ...rule, mode: "enforce" });
    const run = {
      started_at: new Date().toISOString(),
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    expect(
      (await set("POST", "/v1/runs", { ...run, cost_usd: "1", user_id: "zebra@example.com" })).status,
    ).toBe(201);
    const owner = await signedIn(own.id);
    const { page, hits } = await find(owner, "zebra");
    expect(page).not.toContain("<b>Corp");
    expect(hits.map((hit) => hit.split(":")[0])).toEqual([
      "Customer",
      "Budget",
      "Key",
      "Model",
      "Policy",
      "User",
    ]);
    expect(hits.join()).toContain("/console/models/acme%2Fzebra");
    expect(hits.join()).toContain("/console/runs?user_id=zebra%40example.com");
    // What only begins like an id of ours may be a name, or an id that callers chose.
    await set("PUT", `${at}/customers/sub_1NXYZ`, { name: "A subscriber" });
    expect((await find(owner, "sub_1N")).hits).toEqual([
      "Customer: A subscriber (sub_1NXYZ) /console/customers/sub_1NXYZ",
    ]);
    // Where this run would be, the API exports all of them.
    expect((await set("POST", "/v1/runs", { ...run, cost_usd: "1" })).status).toBe(201);
    expect((await find(owner, "export")).hits).toEqual(["Page: Exports /console/exports"]);
    const only = await owner.get("/console/search?q=Zebra+crossing");
    expect(leadsTo(await only.text())).toMatch(/^\/console\/budgets\/bud_/);
    expect(leadsTo((await find(owner, "Zebra crossing")).page)).toBeNull();
    expect(leadsTo(await (await owner.get("/console/search?q=zebra")).text())).toBeNull();
    // What a role may not read is not found, and is no error.
    const viewer = await find(await signedIn(own.id, "viewer"), "zebra");
    expect(viewer.hits.some((hit) => hit.startsWith("Key"))).toBe(false);
    expect(viewer.hits.length).toBe(hits.length - 1);
    expect((await find(owner, "fallb")).hits).toEqual(["Page: Fallbacks /console/fallbacks"]);
    expect((await find(owner, "z")).hits).toEqual(expect.arrayContaining(hits));
  });

  test("finds the last of many customers by the beginning of its id, and reads no more than a few", async () => {
    const own = await newOrg();
    const started_at = new Date().toISOString();
    const runs = Array.from({ length: 400 }, (_, nth) => ({
      started_at,
      model: "m",
      customer_id: `customer-${String(nth).padStart(5, "0")}`,
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.01",
    }));
    const made = await call("POST", "/v1/runs/bulk", { key: own.ownerKey, body: { runs } });
    expect(made.body.accepted).toBe(400);
    const { hits } = await find(await signedIn(own.id, "viewer"), "customer-0039");
    expect(hits).toHaveLength(5);
    expect(hits[0]).toBe("Customer: customer-00390 /console/customers/customer-00390");
  });

  test("finds the last of many customers by its name, before those that only have it in theirs", async () => {
    const own = await newOrg();
    const name = (id: string, called: string) =>
      call("PUT", `/v1/orgs/${own.id}/customers/${id}`, { key: own.ownerKey, body: { name: called } });
    await Promise.all(Array.from({ length: 120 }, (_, nth) => name(`c-${nth}`, `Old Zebra ${nth}`)));
    await name("z-1", "ZEBRA and sons");
    await name("z-2", "Zebra");
    const { hits } = await find(await signedIn(own.id, "viewer"), "zebra");
    expect(hits.filter((hit) => hit.startsWith("Customer"))).toEqual([
      "Customer: Zebra (z-2) /console/customers/z-2",
      "Customer: ZEBRA and sons (z-1) /console/customers/z-1",
      "Customer: Old Zebra 0 (c-0) /console/customers/c-0",
      "Customer: Old Zebra 1 (c-1) /console/customers/c-1",
      "Customer: Old Zebra 10 (c-10) /console/customers/c-10",
    ]);
  });

  test("finds the customer with an id before those that are called so", async () => {
    const own = await newOrg();
    const name = (id: string, called: string) =>
      call("PUT", `/v1/orgs/${own.id}/customers/${id}`, { key: own.ownerKey, body: { name: called } });
    for (const id of ["1", "2", "3", "4", "5", "6"]) await name(id, "acme");
    await name("acme", "Somebody else");
    const { hits } = await find(await signedIn(own.id, "viewer"), "acme");
    const customers = hits.filter((hit) => hit.startsWith("Customer"));
    expect(customers.length).toBe(5);
    expect(customers[0]).toBe("Customer: Somebody else (acme) /console/customers/acme");
  });
});
