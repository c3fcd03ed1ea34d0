import { describe, expect, test } from "vitest";
import { Refused, Sluice, type SluiceOptions, type UsageReport } from "../../src/client/index.ts";
import { newOrg, operatorKey, serve, type TestOrg } from "../support/worker.ts";

const ASK = { estimate: { cost_usd: "0.01" } };

/** The client, over the Worker itself. */
function clientOf({ ownerKey }: TestOrg, options: SluiceOptions = {}): Sluice {
  return new Sluice({ key: ownerKey, url: "http://sluice.test", fetch: serve, ...options });
}

async function refusalOf(work: Promise<unknown>): Promise<Refused> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

/** A network that loses the answer to the first request of each kind, after the service has acted on it. */
function losing(): SluiceOptions["fetch"] {
  const seen = new Set<string>();
  return async (url, init) => {
    const response = await serve(url, init);
    const kind = `${init.method} ${new URL(url).pathname}`;
    if (seen.has(kind)) return response;
    seen.add(kind);
    await response.text();
    throw new TypeError("the connection was lost");
  };
}

describe("the client against the service", () => {
  test("decides, settles and reads what was spent", async () => {
    const sluice = clientOf(await newOrg());
    const cap = await sluice.spendCap.set({ cap_usd: "1" });
    expect(cap.cap_usd).toBe("1.00");
    const verdict = await sluice.decisions.decide({ ...ASK, model: "acme/m1" });
    const reservationId = verdict.reservation?.id;
    const run = await sluice.runs.record({
      started_at: new Date().toISOString(),
      model: "acme/m1",
      usage: { input_tokens: 10, output_tokens: 5 },
      cost_usd: "0.02",
      reservation_id: reservationId,
    });
    expect(run.cost_usd).toBe("0.02");
    expect((await sluice.runs.get(run.id)).id).toBe(run.id);
    expect((await sluice.spendCap.get()).spent_usd).toBe("0.02");
  });

  test("reads a usage report as it is typed, and a CSV as a response", async () => {
    const org = await newOrg();
    const sluice = clientOf(org);
    const day = { from: "2026-11-01", to: "2026-11-02" };
    const report: UsageReport = await sluice.usage.report({ ...day, group_by: "model" });
    expect([report.group_by, report.totals.runs]).toEqual([["model"], 0]);
    const json: UsageReport = await sluice.usage.report({ ...day, group_by: "model", format: "json" });
    expect(json).toEqual(report);
    const { data } = await sluice.usage.report({ ...day, group_by: "model" }).withResponse();
    expect(data).toEqual(report);
    const csv: Response = await sluice.usage.report({ ...day, group_by: "model", format: "csv" });
    expect(await csv.text()).toMatch(/^model,/);
    const format: "json" | "csv" = csv.ok ? "csv" : "json";
    const either = await sluice.usage.report({ ...day, group_by: "model", format });
    expect(either).toBeInstanceOf(Response);
  });

  test("sends no change with an empty ifMatch, which nobody would see", async () => {
    const sluice = clientOf(await newOrg());
    await sluice.spendCap.set({ cap_usd: "5" });
    expect(() => sluice.spendCap.set({ cap_usd: "6" }, { ifMatch: "" })).toThrow(/ifMatch must be an ETag/);
    expect((await sluice.spendCap.get()).cap_usd).toBe("5.00");
  });

  test("refuses in the words of the contract", async () => {
    const sluice = clientOf(await newOrg());
    const budget = await sluice.budgets.create({ scope_kind: "org", limit_usd: "0.005", period: "day" });
    const refused = await refusalOf(sluice.decisions.decide(ASK));
    if (refused.code !== "budget_exceeded") throw refused;
    expect(refused.details.budget_id).toBe(budget.id);
    expect(refused.status).toBe(402);
    expect(refused.retryAfterMs).toBeNull();
    expect(refused.traceId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("has fields refused by their names, and a lower role refused", async () => {
    const org = await newOrg();
    const bad = await refusalOf(clientOf(org).spendCap.set({ cap_usd: "-1" }));
    if (bad.code !== "validation_failed") throw bad;
    expect(bad.details.fields.map(({ field }) => field)).toEqual(["cap_usd"]);
    const viewer = clientOf(org, { key: await org.mint("viewer") });
    expect((await refusalOf(viewer.spendCap.set({ cap_usd: "1" }))).code).toBe("forbidden");
  });

  test("walks every page of a list", async () => {
    const sluice = clientOf(await newOrg());
    for (const name of ["a", "b", "c"]) {
      await sluice.budgets.create({ name, scope_kind: "org", limit_usd: "1", period: "day" });
    }
    const names: (string | null)[] = [];
    for await (const budget of sluice.budgets.list({ limit: 1, sort: "created_at" })) names.push(budget.name);
    expect(names).toEqual(["a", "b", "c"]);
  });

  test("does each thing once where answers are lost", async () => {
    const org = await newOrg();
    const sluice = clientOf(org, { fetch: losing() });
    await sluice.spendCap.set({ cap_usd: "1" });
    const verdict = await sluice.decisions.decide({ estimate: { cost_usd: "0.10" } });
    await sluice.budgets.create({ scope_kind: "org", limit_usd: "1", period: "day" });
    await sluice.runs.record({
      started_at: new Date().toISOString(),
      model: "acme/m1",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.25",
    });
    const seen = clientOf(org);
    expect(await seen.spendCap.get()).toMatchObject({ reserved_usd: "0.10", spent_usd: "0.25" });
    expect((await seen.budgets.list()).data).toHaveLength(1);
    await sluice.decisions.release(verdict.reservation?.id ?? "");
    expect((await seen.spendCap.get()).reserved_usd).toBe("0.00");
  });

  test("streams what is a stream, and changes only what is as it was read", async () => {
    const sluice = clientOf(await newOrg());
    const { data, response } = await sluice.budgets
      .create({ scope_kind: "org", limit_usd: "1", period: "day" })
      .withResponse();
    const ifMatch = response.headers.get("etag") ?? "";
    await sluice.budgets.change(data.id, { limit_usd: "2" }, { ifMatch });
    const late = await refusalOf(sluice.budgets.change(data.id, { limit_usd: "3" }, { ifMatch }));
    expect(late.code).toBe("conflict");
    const day = 86_400_000;
    const range = {
      from: new Date(Date.now() - day).toISOString(),
      to: new Date(Date.now() + day).toISOString(),
    };
    const text = await (await sluice.auditLog.export(range)).text();
    expect(text.trim().split("\n").length).toBeGreaterThan(2);
  });

  test("acts for any org with the operator's key", async () => {
    const org = await newOrg();
    const operator = new Sluice({ key: operatorKey(), url: "http://sluice.test", fetch: serve });
    expect((await operator.adminOrgs.get(org.id)).id).toBe(org.id);
    expect((await operator.with({ org: org.id }).orgs.get()).id).toBe(org.id);
  });

  test("asks without a key what anyone may ask", async () => {
    const sluice = new Sluice({ url: "http://sluice.test", fetch: serve });
    expect((await sluice.deprecations.list()).map(({ route }) => route)).toContain("/v1/forecast");
  });
});
