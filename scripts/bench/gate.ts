import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILT_INS } from "../../src/domain/safety/detectors.ts";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import type { Subject } from "./harness.ts";
import { compare } from "./compare.ts";
import type { OwnRuntime } from "./own-runtime.ts";
import { startReference } from "./reference.ts";

/** 300 bytes, as a proxy would send them. Each `#` becomes a digit of a number that was never sent before. */
const ASK = {
  request_id: "req_####################",
  model: "acme/m1",
  action: "chat.completion",
  workflow_id: "wf_support",
  deployment_id: "dep_europe",
  department_id: "dpt_care",
  customer_id: "cus_0000000001",
  estimate: { cost_usd: "0.001250", input_tokens: 1800, max_output_tokens: 600 },
};
const BODY = JSON.stringify(ASK).padEnd(300, " ");
/** A hold that is too long for a slice, so the object decides it. */
const LONG_BODY = JSON.stringify({ ...ASK, hold_seconds: 3600 }).padEnd(320, " ");

/** With 2 kB to scan. */
const CHECKED_BODY = JSON.stringify({ ...ASK, checks: "all", input: "The quick brown fox. ".repeat(98) });

const METERS_CONFIGURED = [1, 10, 100];
const FAR = "900000000";

interface Org {
  readonly id: string;
  readonly key: string;
}

/**
 * Decisions in the isolate, by the object, and refused with and without reading the body, compared with the bare
 * runtime.
 */
export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const reference = await startReference();
  const server = await startServer({ port: 0, dataDir: folder });
  try {
    return await compare(await subjects(reference, server));
  } finally {
    await server.dispose();
    await reference.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

const JSON_TYPE = { "content-type": "application/json" };

/** A route of the reference Worker. */
function referenceSubject(reference: OwnRuntime, name: string, path: string, of?: string): Subject {
  return {
    name,
    load: {
      ports: [reference.port],
      method: "POST",
      path,
      headers: { ...JSON_TYPE, authorization: `Bearer ${"x".repeat(112)}` },
      body: BODY,
    },
    pid: reference.pid,
    status: 200,
    ...(of === undefined ? {} : { of }),
  };
}

interface Decision {
  readonly org: Org;
  readonly status: number;
  readonly of: string;
  readonly target?: number;
  readonly body?: string;
}

function decisionSubject(server: Server, name: string, decision: Decision): Subject {
  const { org, status, of, target, body = BODY } = decision;
  return {
    name,
    load: {
      ports: [Number(new URL(server.urls[0]).port)],
      method: "POST",
      path: "/v1/edge/decision",
      headers: { ...JSON_TYPE, authorization: `Bearer ${org.key}` },
      body,
    },
    pid: () => Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8")),
    status,
    of,
    ...(target === undefined ? {} : { target }),
  };
}

async function subjects(reference: OwnRuntime, server: Server): Promise<Subject[]> {
  const bare = (name: string, path: string, of?: string) => referenceSubject(reference, name, path, of);
  const decision = (name: string, of: Decision) => decisionSubject(server, name, of);
  const orgs: Subject[] = [];
  for (const configured of METERS_CONFIGURED) {
    const org = await orgWith(server, configured, FAR);
    orgs.push(
      decision(`allow here, ${configured} limits set`, { org, status: 200, of: "reference", target: 0.85 }),
    );
  }
  const broke = await orgWith(server, 5, "0");
  const throttled = await orgWith(server, 5, FAR);
  await throttle(server, throttled);
  const far = await orgWith(server, 5, FAR);
  const checked = await orgWith(server, 5, FAR);
  await govern(server, checked);
  const matched = await orgWithMatches(server);
  return [
    bare("reference", "/reference"),
    ...orgs,
    decision("allow here, 100 budgets, 10 match", {
      org: matched,
      status: 200,
      of: "reference",
    }),
    decision("allow here, all checks", {
      org: checked,
      status: 200,
      of: "allow here, 10 limits set",
      target: 0.5,
      body: CHECKED_BODY,
    }),
    decision("deny here, body read", { org: broke, status: 402, of: "reference", target: 0.9 }),
    decision("deny here, body unread", { org: throttled, status: 429, of: "reference", target: 1 }),
    bare("one RPC, one upsert", "/upsert", "reference"),
    decision("allow by the object", {
      org: far,
      status: 200,
      of: "one RPC, one upsert",
      target: 0.85,
      body: LONG_BODY,
    }),
    bare("rate-limiter-flexible, in memory", "/limiter", "reference"),
  ];
}

const MATCHING = 10;

/** An org with a hundred budgets that match calls, of which ten match the body. */
async function orgWithMatches(server: Server): Promise<Org> {
  const org = await orgWith(server, 0, FAR);
  const path = `/v1/orgs/${org.id}/budgets`;
  for (let number = 0; number < 100; number += 1) {
    const isOwn = number < MATCHING;
    const match = { model: isOwn ? "acme/*" : `other/m${number}`, customer_id: ASK.customer_id };
    const group_by = number % 2 === 0 ? { group_by: ["workflow_id"] } : {};
    const body = { match, ...group_by, limit: FAR, period: "month" };
    await call(server, { method: "POST", path, key: org.key, body });
  }
  return org;
}

/** An org with this many limits. At most five apply to the body. */
async function orgWith(server: Server, configured: number, limitUsd: string): Promise<Org> {
  const made = await call(server, {
    method: "POST",
    path: "/v1/admin/orgs",
    key: operator(server),
    body: { name: "bench" },
  });
  const { org, owner_key: key } = made as { org: { id: string }; owner_key: string };
  const scopes = [
    { scope_kind: "org" },
    { scope_kind: "workflow", scope_id: ASK.workflow_id },
    { scope_kind: "deployment", scope_id: ASK.deployment_id },
    { scope_kind: "department", scope_id: ASK.department_id },
    { scope_kind: "org" },
  ];
  for (let index = 0; index < configured; index += 1) {
    const scope = scopes[index] ?? { scope_kind: "workflow", scope_id: `wf_other_${index}` };
    const body = { ...scope, limit_usd: limitUsd, period: "month", mode: "enforce" };
    await call(server, { method: "POST", path: `/v1/orgs/${org.id}/budgets`, key, body });
  }
  return { id: org.id, key };
}

/** Rules, all detectors that there are, one of the org's own, and a plan in force. */
async function govern(server: Server, { id, key }: Org): Promise<void> {
  const rule = { target: "model", effect: "deny", when: 'model == "acme/bad"', reason: "not cleared" };
  const detectors = [
    ...Object.keys(BUILT_INS).map((built) => ({ id: built, kind: "builtin", action: "block" })),
    { id: "projects", kind: "pattern", pattern: "\\bproject-[a-z]{3,12}\\b", action: "block" },
  ];
  const plan = { runs_limit: 1_000_000_000, tokens_limit: 1_000_000_000_000, overage_policy: "block" };
  const admin = operator(server);
  await call(server, { method: "POST", path: `/v1/orgs/${id}/policy-rules`, key, body: rule });
  await call(server, { method: "PUT", path: `/v1/orgs/${id}/content-safety`, key, body: { detectors } });
  await call(server, { method: "PUT", path: "/v1/admin/plans/bench", key: admin, body: plan });
  await call(server, { method: "PATCH", path: `/v1/admin/orgs/${id}`, key: admin, body: { plan: "bench" } });
}

async function throttle(server: Server, org: Org): Promise<void> {
  const policy = { name: "none", match: {}, unit: "requests", limit: 0, window_seconds: 60, kind: "rate" };
  const body = { read_rpm: null, policies: [{ ...policy, match: { route: "POST /v1/edge/decision" } }] };
  await call(server, {
    method: "PUT",
    path: `/v1/admin/orgs/${org.id}/rate-limits`,
    key: operator(server),
    body,
  });
}

function operator(server: Server): string {
  return server.settings["SVC_OPERATOR_KEY"] ?? "";
}

async function call(
  server: Server,
  {
    method,
    path,
    key,
    body,
  }: { readonly method: string; readonly path: string; readonly key: string; readonly body: object },
): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${server.urls[0]}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
