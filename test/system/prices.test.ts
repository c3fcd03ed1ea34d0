import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { ListedModel } from "../../src/contract/resources/price-book.ts";
import { runScript, startOn } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { call, callerAt, newOrg, sharedServer } from "../support/server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

test("a newcomer's first run of a real model is priced, and prices change only after confirmation", async () => {
  const folder = temporaryFolder();
  const { demo } = await startOn(folder);
  const at = callerAt(demo.base_url);
  const usage = { input_tokens: 12_345, output_tokens: 678, cache_read_tokens: 11_264 };
  const run = { started_at: new Date().toISOString(), model: "openai/gpt-4o-mini", usage };
  const first = await at("POST", "/v1/runs", { key: demo.owner_key, body: run });
  expect(first).toMatchObject({ status: 201, body: { cost_usd: "0.00141375", cost_source: "price_book" } });
  const read = async () => (await at("GET", "/v1/admin/price-book", { key: demo.operator_key })).body;
  const prices = async (...args: string[]) => {
    const command = runScript("prices.ts", args, { SLUICE_DATA_DIR: folder });
    return { status: await command.ended, stdout: command.stdout(), stderr: command.stderr() };
  };
  expect(await prices()).toMatchObject({ status: 0, stdout: expect.stringContaining("Nothing changes") });
  const models = (await read()).models.map((row: ListedModel) => ({
    ...(JSON.parse(JSON.stringify(row, (_name, value: unknown) => value ?? undefined)) as object),
    ...(row.model === "gpt-4o-mini" ? { input_usd_per_mtok: "9" } : {}),
  }));
  const changed = await at("PUT", "/v1/admin/price-book", { key: demo.operator_key, body: { models } });
  expect(changed).toMatchObject({ status: 200, body: { revision: 2 } });
  const unasked = await prices();
  expect(unasked).toMatchObject({ status: 1, stderr: expect.stringContaining("pass --yes") });
  expect(unasked.stdout).toContain("~ gpt-4o-mini: input_usd_per_mtok 9.00 -> 0.15");
  expect((await read()).revision).toBe(2);
  expect(await prices("--yes")).toMatchObject({ status: 0, stdout: expect.stringContaining("revision 3") });
  expect(await prices("--yes")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("Nothing changes"),
  });
});

test("each example of the documentation works as it is pasted", async () => {
  const org = await newOrg();
  const text = readFileSync(new URL("../../docs/prices.md", import.meta.url), "utf8");
  const examples = Array.from(text.matchAll(/```sh\n(curl[^]*?)```/g), ([, commands = ""]) => commands);
  const script = `set -e; curl() { command curl -sS --fail-with-body "$@"; echo; }\n${examples.join("\n")}`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["--norc", "-c", script], {
    env: {
      PATH: process.env["PATH"],
      BASE: sharedServer().urls[0],
      ORG: org.id,
      KEY: org.ownerKey,
      SVC_OPERATOR_KEY: sharedServer().operatorKey,
    },
  });
  expect(stderr).toBe("");
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toHaveLength(examples.join("").match(/^curl/gm)?.length ?? 0);
  expect(answers).toContainEqual(expect.objectContaining({ id: "run-17", cost_usd: "0.03245" }));
  expect(answers).toContainEqual(expect.objectContaining({ run_id: "run-17", net_cost_usd: "0.02245" }));
});

test("isolates reserve at the highest rates, and use another price from the moment it takes effect", async () => {
  const org = await newOrg();
  const key = org.ownerKey;
  const limit = { scope_kind: "org", limit_usd: "100000", period: "month" };
  await call("POST", `/v1/orgs/${org.id}/budgets`, { key, body: limit });
  const rates = { input_usd_per_mtok: "3", output_usd_per_mtok: "15", cache_write_1h_usd_per_mtok: "6" };
  const path = `/v1/orgs/${org.id}/models/m`;
  await call("PUT", path, { key, body: rates });
  const body = { model: "m", estimate: { input_tokens: 1000, max_output_tokens: 100 } };
  const takesEffect = Date.now() + 5000;
  const dearer = { ...rates, input_usd_per_mtok: "30", effective_at: new Date(takesEffect).toISOString() };
  expect((await call("PUT", path, { key, body: dearer })).status).toBe(200);
  const seen = new Set<string>();
  const patience = Date.now() + PATIENCE_MS;
  while (!seen.has("edge 0.0315") && Date.now() < patience) {
    const { status, body: verdict, headers } = await call("POST", "/v1/edge/decision", { key, body });
    expect(status).toBe(200);
    const amount = verdict.reservation.amount_usd;
    expect(amount).toBe(Date.parse(verdict.evaluated_at) < takesEffect ? "0.0075" : "0.0315");
    seen.add(`${headers.get("x-svc-decided")} ${amount}`);
  }
  expect(seen).toContain("edge 0.0315");
});
