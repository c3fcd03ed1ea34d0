import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ErrorCode } from "../../src/contract/errors.ts";
import type { Server } from "../../scripts/server.ts";
import { ownServer } from "./server.ts";
import { http, type HttpAnswer, type HttpOptions } from "./http.ts";
import { PATIENT } from "./patience.ts";

/** A server, an org for each recipe, and short ways to use them. */
export class Kitchen {
  readonly #server: Server;
  readonly id: string;
  readonly key: string;

  private constructor(server: Server, id: string, key: string) {
    this.#server = server;
    this.id = id;
    this.key = key;
  }

  static async open(server: Server, fields: object = {}): Promise<Kitchen> {
    const made = await new Kitchen(server, "", "").operate("POST", "/v1/admin/orgs", {
      name: "Acme",
      ...fields,
    });
    if (made.status !== 201) throw new Error(`no org: ${made.status} ${made.text}`);
    return new Kitchen(server, made.body.org.id, made.body.owner_key);
  }

  send(method: string, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
    return http(method, this.#server.urls[0] + path, options);
  }

  operate(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer> {
    const key = this.#server.settings["SVC_OPERATOR_KEY"] ?? "";
    return this.send(method, path, { key, ...(body && { body }), ...(headers && { headers }) });
  }

  /** Below the org, as its owner. */
  own(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<HttpAnswer> {
    const options = { key: this.key, ...(body && { body }), ...(headers && { headers }) };
    return this.send(method, `/v1/orgs/${this.id}${path}`, options);
  }

  run(fields: object = {}): Promise<HttpAnswer> {
    const body = {
      started_at: new Date().toISOString(),
      model: "acme/m1",
      usage: { input_tokens: 10, output_tokens: 5 },
      cost_usd: "2",
      ...fields,
    };
    return this.send("POST", "/v1/runs", { key: this.key, body });
  }

  decide(costUsd: string): Promise<HttpAnswer> {
    return this.send("POST", "/v1/edge/decision", {
      key: this.key,
      body: { estimate: { cost_usd: costUsd } },
    });
  }

  async mint(fields: object): Promise<{ id: string; key: string }> {
    const minted = await this.own("POST", "/keys", { name: "k", role: "viewer", ...fields });
    if (minted.status !== 201) throw new Error(`no key: ${minted.text}`);
    return minted.body;
  }

  /** Leaves an idempotency key as it is during its first call, or after the Worker died in that call. */
  forgetAnswer(key: string): void {
    for (const database of this.#databases("do/sluice-OrgObject")) {
      if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'idempotency'").get() === undefined)
        continue;
      database.prepare("UPDATE idempotency SET status = NULL, sealed = NULL WHERE key = ?").run(key);
    }
  }

  /** Drops a table under the running objects: an unforeseen failure. */
  breakObjects(): void {
    for (const database of this.#databases("do/sluice-OrgObject"))
      database.exec("DROP TABLE IF EXISTS webhook_subscriptions");
  }

  /** The server's own files, from outside. */
  *#databases(of: string): Generator<DatabaseSync> {
    const folder = join(this.#server.folder.state, "v3", of);
    for (const file of readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))) {
      // The runtime writes to it too. Whoever comes second waits.
      const database = new DatabaseSync(join(folder, file), PATIENT);
      yield database;
      database.close();
    }
  }
}

type Recipe = (kitchen: Kitchen) => Promise<HttpAnswer>;

const rule = (effect: string, when: string) => ({
  target: "model",
  effect,
  when,
  reason: "for the test",
  priority: 1,
  mode: "enforce",
});

const budget = (limit_usd: string) => ({ scope_kind: "org", limit_usd, period: "month", mode: "enforce" });

/** How a caller gets each code of the catalog. The type requires every one. */
export const RECIPES: Record<ErrorCode, Recipe> = {
  bad_request: (k) => k.own("GET", "/models/%ZZ"),
  unauthorized: (k) => k.send("GET", `/v1/orgs/${k.id}`),
  key_expired: async (k) => {
    const { key } = await k.mint({ not_before: "2099-01-01T00:00:00Z" });
    return k.send("GET", `/v1/orgs/${k.id}`, { key });
  },
  session_revoked: (k) => k.send("GET", "/v1/console/session", { headers: { cookie: "svc_session=forged" } }),
  forbidden: async (k) => {
    const { key } = await k.mint({});
    return k.send("POST", `/v1/orgs/${k.id}/budgets`, { key, body: budget("1") });
  },
  missing_scope: async (k) => {
    const { key } = await k.mint({ scopes: ["org:read"] });
    return k.send("GET", `/v1/orgs/${k.id}/budgets`, { key });
  },
  ip_not_allowed: async (k) => {
    await k.own("PATCH", "", { ip_allow_list: ["198.51.100.0/24"] });
    return k.own("GET", "", undefined, { "cf-connecting-ip": "203.0.113.9" });
  },
  org_suspended: async (k) => {
    await k.operate("POST", `/v1/admin/orgs/${k.id}/suspend`, {});
    return k.own("GET", "");
  },
  // Only a service with several regions can be called in one that a rule excludes.
  residency_violation: async () => {
    const k = await Kitchen.open(await ownServer({ regions: ["eu", "us"] }), { home_region: "us" });
    await k.own("PUT", "/residency", { regions: ["us"] });
    return k.own("GET", "");
  },
  policy_blocked: async (k) => {
    await k.own("POST", "/policy-rules", rule("deny", 'model == "acme/m1"'));
    return k.run();
  },
  policy_approval_required: async (k) => {
    await k.own("POST", "/policy-rules", rule("require_approval", "true"));
    return k.run();
  },
  policy_expression_error: async (k) => {
    await k.own("POST", "/policy-rules", rule("allow", 'run.metadata.team == "x"'));
    return k.run();
  },
  content_safety_blocked: async (k) => {
    await k.own("PUT", "/content-safety", { detectors: [{ id: "email", kind: "builtin", action: "block" }] });
    return k.run({ input: "write to someone@example.com" });
  },
  support_scope_denied: async (k) => {
    const grant = await k.own("POST", "/support-grants", {
      scope: "read_only",
      reason: "a question",
      expires_in_seconds: 600,
    });
    const session = await k.operate("POST", "/v1/admin/support-sessions", { grant_id: grant.body.id });
    return k.send("PATCH", `/v1/orgs/${k.id}`, { key: session.body.token, body: { name: "Mine" } });
  },
  not_found: (k) => k.send("GET", "/v1/nothing/here"),
  conflict: (k) => k.operate("POST", `/v1/admin/orgs/${k.id}/resume`, {}),
  idempotency_key_conflict: async (k) => {
    await k.own("POST", "/budgets", budget("1"), { "idempotency-key": "one" });
    return k.own("POST", "/budgets", budget("2"), { "idempotency-key": "one" });
  },
  idempotency_key_processing: async (k) => {
    const create = () => k.operate("POST", "/v1/admin/orgs", { name: "Once" }, { "idempotency-key": k.id });
    await create();
    k.forgetAnswer(k.id);
    return create();
  },
  gone: async (k) => {
    const { id, key } = await k.mint({});
    await k.own("DELETE", `/keys/${id}`);
    return k.send("GET", `/v1/orgs/${k.id}`, { key });
  },
  payload_too_large: (k) => k.own("POST", "/budgets", { ...budget("1"), name: "x".repeat(5_000) }),
  validation_failed: (k) => k.own("POST", "/budgets", budget("a lot")),
  insufficient_cohort_size: async (k) => {
    const made = await k.operate("POST", "/v1/admin/benchmarks/cohorts", {
      name: "Alone",
      metric: "runs_per_day",
      org_ids: [k.id],
    });
    return k.send("GET", `/v1/benchmarks/cohorts/${made.body.id}`, { key: k.key });
  },
  spend_cap_exceeded: async (k) => {
    await k.own("PUT", "/spend-cap", { cap_usd: "1" });
    return k.decide("2");
  },
  chain_budget_exceeded: async (k) => {
    await k.own("PUT", "/chain-budget", { max_cost_usd: "1" });
    return k.run({ chain: { chain_id: "c1" } });
  },
  budget_exceeded: async (k) => {
    await k.own("POST", "/budgets", budget("1"));
    return k.decide("2");
  },
  quota_exhausted: async (k) => {
    await k.operate("PUT", `/v1/orgs/${k.id}/quota`, {});
    return k.run();
  },
  credits_exhausted: async (k) => {
    await k.own("POST", "/credit-packs", { customer_id: "c1", amount_usd: "1" });
    return k.run({ customer_id: "c1" });
  },
  plan_limit_exceeded: async (k) => {
    const plan = "none-left";
    const terms = { runs_limit: 0, tokens_limit: null, overage_policy: "block" };
    await k.operate("PUT", `/v1/admin/plans/${plan}`, terms);
    await k.operate("PATCH", `/v1/admin/orgs/${k.id}`, { plan });
    return k.run();
  },
  rate_limited: async (k) => {
    const policy = { name: "none", match: {}, unit: "requests", limit: 0, window_seconds: 60, kind: "rate" };
    await k.operate("PUT", `/v1/admin/orgs/${k.id}/rate-limits`, { read_rpm: null, policies: [policy] });
    return k.own("GET", "");
  },
  no_model_passes_eval: async (k) => {
    await k.own("PUT", "/routing-policy", {
      candidates: ["acme/m1"],
      eval_gate: { suite: "s", min_score: 0.9, min_samples: 10, max_age_days: 30 },
      prefer: "cheapest",
    });
    return k.send("POST", "/v1/routing/select", { key: k.key, body: {} });
  },
  service_unavailable: (k) => k.operate("POST", "/v1/admin/orgs", { name: "Far", home_region: "far" }),
  internal: (k) => {
    k.breakObjects();
    return k.own("GET", "/webhooks");
  },
};
