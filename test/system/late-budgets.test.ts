import { expect, test } from "vitest";
import { call, callerAt, consoleLink, newOrg, sharedServer } from "../support/server.ts";

const BURST = 40;
const CALL = { workflow_id: "late", estimate: { cost_usd: "0.001" } };

/** A browser without scripts. */
async function browserAt(link: string) {
  const { origin } = new URL(link);
  const entered = await fetch(link, { redirect: "manual" });
  const cookie = entered.headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");
  const page = async (path: string) => (await fetch(origin + path, { headers: { cookie } })).text();
  return {
    page,
    async press(path: string, action: string) {
      const form = new RegExp(`action="${action}".*?</form>`, "s").exec(await page(path))?.[0] ?? "";
      const hidden = [...form.matchAll(/name="(_\w+)" value="([^"]+)"/g)];
      const body = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]));
      const headers = { cookie, origin };
      return fetch(origin + action, { method: "POST", headers, body, redirect: "manual" });
    },
  };
}

test("a budget counts what was spent before it by a button of its page, and then every isolate refuses", async () => {
  const { urls } = sharedServer();
  const { id, ownerKey: key } = await newOrg();
  const run = {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    workflow_id: "late",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "4.25",
  };
  expect((await call("POST", "/v1/runs", { key, body: run })).status).toBe(201);
  const fields = { scope_kind: "workflow", scope_id: "late", limit_usd: "4.00", period: "month" };
  const made = await call("POST", `/v1/orgs/${id}/budgets`, { key, body: fields });
  expect(made.body).toMatchObject({ count_from: "creation", spent: "0.00" });
  const decideAt = async (url: string) =>
    (await callerAt(url)("POST", "/v1/edge/decision", { key, body: CALL })).status;
  for (const url of urls) {
    const statuses = await Promise.all(Array.from({ length: BURST }, () => decideAt(url)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  const path = `/console/budgets/${made.body.id}`;
  const browser = await browserAt(await consoleLink(id, key));
  const before = await browser.page(path);
  expect(before).toContain("when it was created. Of what was spent in this period,");
  const pressed = await browser.press(path, `${path}/count-earlier`);
  expect([pressed.status, pressed.headers.get("location")]).toEqual([303, `${path}?notice=saved`]);
  expect(await Promise.all(urls.map(decideAt))).toEqual(urls.map(() => 402));
  const after = await call("GET", `/v1/orgs/${id}/budgets/${made.body.id}`, { key });
  expect(after.body).toMatchObject({ count_from: "period_start", spent: "4.25", available: "0.00" });
  const page = await browser.page(path);
  expect(page).toContain("what was spent in this period before it was created counts, too.");
  expect(page).not.toContain("count-earlier");
});
