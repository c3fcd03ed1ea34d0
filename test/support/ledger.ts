import { type Answer, call, newOrg, operatorKey } from "./worker.ts";

/** A test org with a clock, and short ways to spend its money. */
export interface Spender {
  readonly id: string;
  readonly key: string;
  run(fields?: object, headers?: Record<string, string>): Promise<Answer>;
  bulk(runs: readonly object[], headers?: Record<string, string>): Promise<Answer>;
  decide(costUsd: string, fields?: object): Promise<Answer>;
  release(reservationId: string): Promise<Answer>;
  /** A path below the org, such as `budgets`. */
  send(method: string, path: string, body?: object): Promise<Answer>;
  /** As the operator, below `/v1/admin/orgs/{org_id}` or, for quota, below the org. */
  operate(method: string, path: string, body?: object): Promise<Answer>;
  advance(seconds: number): Promise<number>;
  events(kind?: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
}

export function aRun(fields: object = {}): Record<string, unknown> {
  return {
    started_at: "2026-11-15T02:00:00Z",
    model: "acme/m1",
    usage: { input_tokens: 10, output_tokens: 5 },
    cost_usd: "1",
    ...fields,
  };
}

export async function newSpender(fields: object = {}): Promise<Spender> {
  const org = await newOrg({ environment: "test", ...fields });
  const key = org.ownerKey;
  return {
    id: org.id,
    key,
    run: (run = {}, headers = {}) => call("POST", "/v1/runs", { key, body: aRun(run), headers }),
    bulk: (runs, headers = {}) => call("POST", "/v1/runs/bulk", { key, body: { runs }, headers }),
    decide: (cost_usd, more = {}) =>
      call("POST", "/v1/edge/decision", { key, body: { estimate: { cost_usd }, ...more } }),
    release: (id) => call("DELETE", `/v1/edge/decision/${id}`, { key }),
    send: (method, path, body) =>
      call(method, `/v1/orgs/${org.id}/${path}`, { key, ...(body === undefined ? {} : { body }) }),
    operate: (method, path, body) =>
      call(method, path.replace("{org}", org.id), {
        key: operatorKey(),
        ...(body === undefined ? {} : { body }),
      }),
    async advance(seconds) {
      const moved = await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
        key: operatorKey(),
        body: { advance_seconds: seconds },
      });
      if (moved.status !== 200) throw new Error(`no clock: ${moved.text}`);
      return Date.parse((moved.body as { now: string }).now);
    },
    events: (kind) => eventsOf(org.id, kind),
  };
}

async function eventsOf(orgId: string, kind?: string) {
  const [{ rowsOf }, { EVENT_ROWS }] = await Promise.all([import("./rows.ts"), import("./logs.ts")]);
  const rows = await rowsOf<{ type: string; data: string }>(
    orgId,
    `SELECT type, data FROM ${EVENT_ROWS} ORDER BY seq`,
  );
  return rows
    .filter((row) => kind === undefined || row.type === kind)
    .map((row) => ({ type: row.type, data: JSON.parse(row.data) as Record<string, unknown> }));
}
