import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { callerAt, ownServer } from "../support/server.ts";

const DECISION = "/v1/edge/decision";
/** Spelled like this, it is the router that answers. */
const ROUTED = "/v1/edge/%64ecision";

test("of the allowed decisions a share is logged, by trace id; refusals and everything else always", async () => {
  const server = await ownServer({ settings: { SVC_LOG_DECISIONS: "0.5" } });
  const call = callerAt(server.urls[0]);
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await call("POST", "/v1/admin/orgs", { key: operator, body: { name: "Acme" } });
  const key: string = made.body.owner_key;
  const traces = { allowed: [] as string[], others: [] as string[] };
  const ask = async (path: string, usd: string, more: object = {}) => {
    const { status, headers } = await call("POST", path, {
      key,
      body: { estimate: { cost_usd: usd }, ...more },
    });
    const isAllow = status === 200 && !("dry_run" in more);
    (isAllow ? traces.allowed : traces.others).push(headers.get("x-svc-trace-id") ?? "");
    return status;
  };
  const budget = await call("POST", `/v1/orgs/${made.body.org.id}/budgets`, {
    key,
    body: { scope_kind: "org", period: "month", limit_usd: "1000", mode: "enforce" },
  });
  expect(budget.status).toBe(201);
  for (let nth = 0; nth < 30; nth += 1) {
    expect(await ask(nth % 3 === 0 ? ROUTED : DECISION, "0.01")).toBe(200);
    if (nth % 5 === 0) expect(await ask(nth % 2 === 0 ? ROUTED : DECISION, "5000")).toBe(402);
    if (nth % 10 === 0) await ask(nth % 20 === 0 ? ROUTED : DECISION, "0.01", { dry_run: true });
  }
  const read = await call("GET", `/v1/orgs/${made.body.org.id}/budgets`, { key });
  traces.others.push(read.headers.get("x-svc-trace-id") ?? "");
  const isChosen = (trace: string) => Number.parseInt(trace.slice(-8), 16) < 2 ** 31;
  const expected = [...traces.allowed.filter(isChosen), ...traces.others].toSorted();
  const asked = new Set([...traces.allowed, ...traces.others]);
  const logged = () =>
    readFileSync(server.folder.log, "utf8")
      .split("\n")
      .flatMap((line) => /"trace":"([^"]+)"/.exec(line)?.[1] ?? [])
      .filter((trace) => asked.has(trace))
      .toSorted();
  await expect.poll(logged).toEqual(expected);
  expect(expected.length).toBeLessThan(asked.size);
});
