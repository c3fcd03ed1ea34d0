import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import type { Subject } from "./harness.ts";
import { compare } from "./compare.ts";
import { startReference } from "./reference.ts";

/** Calls other than decisions: a run sent alone, and a read. Each asks the org's object. */

const RUN = {
  id: "run-####################",
  started_at: "2026-11-15T02:00:00Z",
  model: "acme/m1",
  customer_id: "cus_0000000001",
  usage: { input_tokens: 1800, output_tokens: 600 },
  cost_usd: "0.001250",
};
const FAR = "900000000";
/** At most 2.07 and 1.21 times what one call to an object with an upsert takes. */
const [RUN_TARGET, READ_TARGET] = [0.48, 0.83];

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const reference = await startReference();
  const server = await startServer({ port: 0, dataDir: folder });
  try {
    const bare: Subject = {
      name: "one RPC, one upsert",
      load: {
        ports: [reference.port],
        method: "POST",
        path: "/upsert",
        headers: { "content-type": "application/json", authorization: `Bearer ${"x".repeat(112)}` },
        body: JSON.stringify(RUN),
      },
      pid: reference.pid,
      status: 200,
    };
    return (await compare([bare, ...(await subjects(server))])).slice(1);
  } finally {
    await server.dispose();
    await reference.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function subjects(server: Server): Promise<Subject[]> {
  const call = async (method: string, path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(server.urls[0] + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await call("POST", "/v1/admin/orgs", operator, { name: "bench" });
  const { org, owner_key: key } = made as { org: { id: string }; owner_key: string };
  await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, operator, {
    read_rpm: 100_000_000,
    policies: [],
  });
  const limit = { scope_kind: "org", limit_usd: FAR, period: "month" };
  const budget = (await call("POST", `/v1/orgs/${org.id}/budgets`, key, limit)) as { id: string };
  const subject = (
    name: string,
    { status, target }: { status: number; target: number },
    load: { method: string; path: string; body: string },
  ): Subject => ({
    name,
    target,
    load: {
      ...load,
      ports: [Number(new URL(server.urls[0]).port)],
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    },
    pid: () => Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8")),
    status,
    of: "one RPC, one upsert",
  });
  const path = `/v1/orgs/${org.id}/budgets/${budget.id}`;
  return [
    subject(
      "run alone",
      { status: 201, target: RUN_TARGET },
      { method: "POST", path: "/v1/runs", body: JSON.stringify(RUN) },
    ),
    subject("read of a budget", { status: 200, target: READ_TARGET }, { method: "GET", path, body: "" }),
  ];
}
