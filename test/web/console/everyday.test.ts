import { beforeAll, describe, expect, test } from "vitest";
import { aRun } from "../../support/ledger.ts";
import { newSubscriber, receiver, type Subscriber } from "../../support/receivers.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, operatorKey } from "../../support/worker.ts";

/** What people look up and decide every day, in one org. */

let org: Subscriber;
let admin: Browser;
let viewer: Browser;
let proxy: string;
let proxyId: string;

beforeAll(async () => {
  org = await newSubscriber();
  [admin, viewer] = [await signedIn(org.id, "admin"), await signedIn(org.id, "viewer")];
  const body = { name: "Production proxy", role: "developer" };
  const minted = await org.ask("POST", "/keys", body);
  [proxy, proxyId] = [minted.body.key, minted.body.id];
  await org.ask("POST", "/keys", { name: "Idle", role: "viewer" });
});

const text = async (path: string, browser = admin) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

/** The row of a table that has some text. */
function rowWith(page: string, part: string): string {
  const rows = page.split("<tr").map((row) => row.split("</tr>")[0] ?? "");
  return rows.find((row) => row.includes(part)) ?? "";
}

describe("keys", () => {
  test("are listed with their last use and what they spent", async () => {
    const run = aRun({ cost_usd: "7.50", model: "acme/m1" });
    expect((await call("POST", "/v1/runs", { key: proxy, body: run })).status).toBe(201);
    const page = await text("/console/keys");
    const used = rowWith(page, "Production proxy");
    expect([used.includes("$7.50"), used.includes("Never")]).toEqual([true, true]);
    const { body } = await org.ask("GET", `/keys/${proxyId}`);
    const lately = Date.parse(body.last_used_at);
    expect(Math.abs(Date.now() - lately)).toBeLessThan(2 * 3_600_000);
    expect(rowWith(page, "Idle")).toContain("$0.00");
    expect((await org.ask("GET", "/keys")).body.data).toContainEqual(
      expect.objectContaining({ name: "Idle", last_used_at: null }),
    );
    expect(await text(`/console/keys/${proxyId}`)).toContain("Last used");
  });
});

describe("approvals", () => {
  test("say what is approved, by whom it was asked, and take a note", async () => {
    const rule = {
      target: "model",
      effect: "require_approval",
      when: 'model == "huge"',
      reason: "Ask first",
    };
    await org.ask("POST", "/policy-rules", rule);
    const body = aRun({ model: "huge", customer_id: "globex", cost_usd: "3.25" });
    const held = await call("POST", "/v1/runs", { key: proxy, body });
    const id = held.body.error.details.approval_id as string;
    const row = rowWith(await text("/console/approvals"), id);
    for (const part of ["huge", "$3.25", "globex", "Production proxy", "Ask first"]) {
      expect([part, row.includes(part)]).toEqual([part, true]);
    }
    const path = `/console/approvals/${id}`;
    expect(await text(path, viewer)).not.toContain(`${path}/approve`);
    const long = await admin.post(`${path}/approve`, { note: "x".repeat(501) });
    expect(long.status).toBe(422);
    expect(await long.text()).toContain('id="approve-note-error">must have at most 500 characters');
    await admin.post(`${path}/approve`, { note: "Agreed with Finance" });
    expect((await org.ask("GET", `/approvals/${id}`)).body).toMatchObject({
      status: "approved",
      note: "Agreed with Finance",
      decided_by: admin.sessionId,
    });
    const decided = await text(path);
    expect([decided.includes("Agreed with Finance"), decided.includes("Production proxy")]).toEqual([
      true,
      true,
    ]);
    const trail = await org.ask("GET", "/audit-log?action=approval.approved");
    expect(trail.body.data[0].detail.note).toBe("Agreed with Finance");
  });
});

describe("webhooks", () => {
  test("that fail look like it in the list, and recover what was missed", async () => {
    let status = 500;
    const { id } = await org.subscribe(
      receiver(() => new Response("said", { status })),
      ["key.*"],
    );
    const path = `/console/webhooks/${id}`;
    expect(rowWith(await text("/console/webhooks"), id)).toContain("enabled");
    await org.ask("POST", "/keys", { name: "Another", role: "viewer" });
    await org.settle();
    expect(rowWith(await text("/console/webhooks"), id)).toContain("failing");
    const wrong = await admin.post(`${path}/recover`, { since: "soon" });
    expect([wrong.status, await wrong.text()]).toEqual([
      422,
      expect.stringContaining('id="recover-since-error"'),
    ]);
    status = 200;
    const none = await admin.post(`${path}/recover`, { since: "2020-01-01T00:00" });
    expect(none.headers.get("location")).toBe(`${path}?notice=nothing_missed`);
    await org.ask("PATCH", `/webhooks/${id}`, { status: "disabled" });
    await org.ask("POST", "/keys", { name: "Unheard", role: "viewer" });
    await org.ask("PATCH", `/webhooks/${id}`, { status: "enabled" });
    const some = await admin.post(`${path}/recover`, { since: "2020-01-01T00:00" });
    expect(some.headers.get("location")).toBe(`${path}?notice=recovered`);
    expect(await text(`${path}?notice=recovered`)).toContain("Queued everything");
    expect(await text(`${path}?status=failed`)).toContain("Nothing matches");
  });
});

describe("limits", () => {
  test("rate limits show their current use", async () => {
    const policy = {
      name: "spikes",
      match: {},
      unit: "requests",
      limit: 5000,
      window_seconds: 3600,
      kind: "quota",
    };
    const each = { ...policy, name: "each", match: { customer_id: "*" }, unit: "tokens", kind: "rate" };
    const body = { read_rpm: 900, policies: [policy, each] };
    await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey(), body });
    const asked = {
      customer_id: "globex",
      estimate: { cost_usd: "0.01", input_tokens: 70, max_output_tokens: 7 },
    };
    const decided = await call("POST", "/v1/edge/decision", { key: proxy, body: asked });
    expect(decided.status).toBe(200);
    const found = await org.ask("GET", "/rate-limits");
    expect(found.body).toMatchObject({ read_used: expect.any(Number), effective_read_rpm: 900 });
    const [spikes, tokens] = found.body.policies;
    expect(spikes).toMatchObject({ resets_at: expect.any(String), busiest: [] });
    expect(spikes.used).toBeGreaterThan(0);
    expect(tokens).toMatchObject({
      used: null,
      resets_at: null,
      busiest: [{ subject: "globex", used: 77 }],
    });
    const page = await text("/console/rate-limits", viewer);
    expect(rowWith(page, "each")).toContain("77 of 5,000");
    expect(rowWith(page, "spikes")).toContain("of 5,000");
  });

  test("a budget is increased for a while, and says what is wrong next to the field", async () => {
    const budget = {
      name: "Launches",
      scope_kind: "org",
      limit_usd: "5000",
      period: "month",
      mode: "enforce",
    };
    const { id } = (await org.ask("POST", "/budgets", budget)).body;
    const path = `/console/budgets/${id}`;
    const until = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);
    const fields = { amount: "250", until: until(9 * 86_400_000), reason: "Launch week" };
    const wrong = await admin.post(`${path}/increase`, {
      ...fields,
      amount: "much",
      until: until(-86_400_000),
    });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('id="increase-amount-error"');
    await admin.post(`${path}/increase`, fields);
    const page = await text(path);
    expect(rowWith(page, "Launch week")).toContain("$250.00");
    expect(page.replaceAll(/<[^>]+>/g, "")).toContain("$5,000.00 + $250.00");
    const [made] = (await org.ask("GET", `/budgets/${id}/increases`)).body.data;
    expect(await text(path, viewer)).not.toContain("/revoke");
    await admin.post(`${path}/increases/${made.id}/revoke`, {});
    expect((await org.ask("GET", `/budgets/${id}/increases`)).body.data).not.toContainEqual(
      expect.objectContaining({ status: "active" }),
    );
  });
});

describe("content safety", () => {
  test("the detectors are tried on an input, and nothing of it stays", async () => {
    const detectors = [
      { id: "email", kind: "builtin", action: "block" },
      { id: "lantern", kind: "pattern", pattern: "lantern", action: "shadow" },
      { id: "phone", kind: "builtin", action: "block" },
    ];
    await org.ask("PUT", "/content-safety", { detectors });
    const tried = await admin.post("/console/safety/try", { input: "ask ada@example.com about lantern" });
    const page = await tried.text();
    expect([tried.status, page.includes("It would be blocked")]).toEqual([200, true]);
    expect(rowWith(page, ">email<")).toContain("ada@example.com");
    expect(rowWith(page, ">lantern<")).toContain("found");
    expect(rowWith(page, ">phone<")).toContain("nothing");
    const empty = await admin.post("/console/safety/try", { input: " " });
    expect([empty.status, await empty.text()]).toEqual([
      422,
      expect.stringContaining('id="try-input-error"'),
    ]);
    expect(await text("/console/safety", viewer)).not.toContain("/console/safety/try");
    const passed = await admin.post("/console/safety/try", { input: "hello" });
    expect(await passed.text()).toContain("It would pass");
    expect((await org.ask("GET", "/audit-log?limit=100")).text).not.toContain("ada@example.com");
  });
});

describe("the audit trail", () => {
  test("is found by the trace of a call, and names who did it to what", async () => {
    const body = { name: "Traced", scope_kind: "workflow", scope_id: "w", limit_usd: "1", period: "day" };
    const made = await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body });
    const trace = made.headers.get("x-svc-trace-id") ?? "";
    const page = await text(`/console/audit?trace_id=${trace}`);
    expect(page.match(/budget\.created/g)).toHaveLength(1);
    expect(rowWith(page, "budget.created")).toContain(
      `<a href="/console/budgets/${made.body.id}">Traced</a>`,
    );
    expect(page.match(/id="target"/g)).toHaveLength(1);
    expect(await text("/console/audit?trace_id=none")).toContain("Nothing matches");
  });

  test("is verified below its entries, on request only", async () => {
    expect(await text("/console/audit")).not.toContain("Chain verified");
    const page = await text("/console/audit?verify=yes");
    expect(page).toMatch(/<div id="verification">[^]*Chain verified[^]*entries/);
    expect(page.indexOf("</table>")).toBeLessThan(page.indexOf("Chain verified"));
  });
});

describe("fallbacks", () => {
  test("are set, say where they acted and what that saved, and are refused next to the wrong field", async () => {
    const fields = {
      name: "cheaper",
      "match.model": "large",
      then: "small\nother at groq",
      budget_share: "0.9",
    };
    const wrong = await admin.post("/console/fallbacks", {
      ...fields,
      then: "claude-sonnet-4 at anthropic",
      "match.model": "gpt-4o",
    });
    expect([wrong.status, (await wrong.text()).includes('id="then-error"')]).toEqual([422, true]);
    const made = await admin.post("/console/fallbacks", fields);
    expect([made.status, made.headers.get("location")]).toEqual([303, "/console/fallbacks?notice=created"]);
    expect(rowWith(await text("/console/fallbacks"), "cheaper")).toContain("small, then other at groq");
    expect(await text("/console/fallbacks/cheaper")).toContain("It has not acted lately.");
    await call("PUT", `/v1/orgs/${org.id}/models/large`, {
      key: org.ownerKey,
      body: { input_usd_per_mtok: "1000000", output_usd_per_mtok: "1000000" },
    });
    const run = aRun({
      id: "chosen",
      model: "small",
      requested_model: "large",
      fallback: "cheaper",
      cost_usd: "5",
    });
    await call("POST", "/v1/runs", { key: org.ownerKey, body: run });
    // Fifteen tokens at a dollar each, less the five that it cost.
    const page = await text("/console/fallbacks/cheaper");
    expect(page).toContain("10.00");
    expect(page).toContain("/console/runs/chosen");
  });
});

describe("keys of providers", () => {
  test("are set, listed by their last four characters, and removed, and never shown", async () => {
    const fields = { provider: "openai/eu", secret: "sk-of-the-org-wxyz", models: "gpt-*" };
    const made = await admin.post("/console/provider-keys", fields);
    expect(made.status).toBe(303);
    const listed = await text("/console/provider-keys");
    expect(rowWith(listed, "openai/eu")).toContain("wxyz");
    const page = await text("/console/provider-keys/openai%2Feu");
    expect(page).toContain("gpt-*");
    for (const shown of [listed, page]) expect(shown).not.toContain("sk-of-the-org");
    const removed = await admin.post("/console/provider-keys/openai%2Feu/delete", {});
    expect(removed.status).toBe(303);
    expect(await text("/console/provider-keys")).toContain("No keys of providers yet");
  });
});

describe("exports", () => {
  test("are created, listed with their windows, and refused next to the wrong field", async () => {
    const own = { format: "csv", every: "day", "destination.kind": "s3", "destination.endpoint": "x" };
    const wrong = await admin.post("/console/exports", { name: "warehouse", ...own });
    expect(wrong.status).toBe(422);
    const form = await wrong.text();
    expect(form).toContain('id="destination-bucket-error"');
    expect(form).not.toContain("Invalid");
    const fields = { name: "warehouse", format: "csv", every: "hour", "destination.kind": "bucket" };
    const made = await admin.post("/console/exports", fields);
    expect([made.status, made.headers.get("location")]).toEqual([303, "/console/exports?notice=created"]);
    expect(rowWith(await text("/console/exports"), "warehouse")).toContain("on time");
    expect(await text("/console/exports/warehouse")).toContain("None is over yet.");
  });

  test("of spans show how far they are, and never the header that they send", async () => {
    const header = "authorization: Bearer a-secret-of-the-receiver";
    const fields = { name: "spans", format: "csv", every: "hour", "destination.kind": "otlp" };
    const wrong = await admin.post("/console/exports", { ...fields, "destination.endpoint": "x" });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('id="destination-endpoint-error"');
    const endpoint = "https://otlp.example.com";
    const full = { ...fields, "destination.endpoint": endpoint, "destination.headers": header };
    const unread = await admin.post("/console/exports", { ...full, "destination.headers": "no colon" });
    expect(unread.status).toBe(422);
    expect(await unread.text()).toContain('id="destination-headers-error"');
    expect((await admin.post("/console/exports", full)).status).toBe(303);
    const page = await text("/console/exports/spans");
    for (const shown of [endpoint, "OpenTelemetry", "Spans sent", "Spans dropped", "authorization"]) {
      expect(page).toContain(shown);
    }
    expect(page).not.toContain("a-secret");
    expect(page).not.toContain("None is over yet.");
    const changed = await admin.post("/console/exports/spans", {
      "destination.kind": "otlp",
      "destination.endpoint": `${endpoint}/eu`,
      format: "csv",
      every: "hour",
    });
    expect(changed.status).toBe(303);
    expect(await text("/console/exports/spans")).toContain(`${endpoint}/eu`);
  });
});
