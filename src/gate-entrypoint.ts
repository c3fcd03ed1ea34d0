import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "./edge/env.ts";
import { handle } from "./worker.ts";
import type { Serve } from "./entry.ts";

/** The answer to a call over RPC: the status and the body of the HTTP response, and the headers that say more. */
export interface GateAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Loaded when it is first asked for. */
let gateApp: Promise<{ readonly fetch: Serve }> | undefined;

const RETURNED_HEADERS = ["retry-after", "x-svc-trace-id", "x-svc-decided", "idempotent-replayed"] as const;

/**
 * The gate for other Workers of the account, over a service binding with `entrypoint = "Gate"`. Each call brings a key and
 * passes every check that a request over HTTP does.
 */
export class Gate extends WorkerEntrypoint<Env> {
  decide(key: string, ask: object): Promise<GateAnswer> {
    return this.#answer("POST", "/v1/edge/decision", { key, body: ask });
  }

  leases(key: string, exchange: object): Promise<GateAnswer> {
    return this.#answer("POST", "/v1/edge/leases", { key, body: exchange });
  }

  settle(key: string, runs: readonly object[], idempotencyKey?: string): Promise<GateAnswer> {
    return this.#answer("POST", "/v1/runs/bulk", { key, body: { runs }, idempotencyKey });
  }

  release(key: string, reservationId: string): Promise<GateAnswer> {
    return this.#answer("DELETE", `/v1/edge/decision/${encodeURIComponent(reservationId)}`, { key });
  }

  renew(key: string, reservationId: string, renewal: object): Promise<GateAnswer> {
    const path = `/v1/edge/decision/${encodeURIComponent(reservationId)}/renew`;
    return this.#answer("POST", path, { key, body: renewal });
  }

  fallbacks(key: string, question: object): Promise<GateAnswer> {
    return this.#answer("POST", "/v1/edge/fallbacks", { key, body: question });
  }

  /** The org's own key of a provider. It goes nowhere but to a Worker of the account that has one of the org's keys. */
  async providerKey(key: string, provider: string): Promise<GateAnswer> {
    gateApp ??= import("./gate-app.ts").then(({ createGateApp }) => createGateApp());
    const { fetch } = await gateApp;
    return this.#answer("GET", `/v1/edge/provider-key/${encodeURIComponent(provider)}`, { key }, fetch);
  }

  async #answer(
    method: string,
    path: string,
    { key, body, idempotencyKey }: { key: string; body?: object; idempotencyKey?: string | undefined },
    serve: Serve = handle,
  ): Promise<GateAnswer> {
    const headers = new Headers({ authorization: `Bearer ${key}` });
    // A caller without an address is on no allow-list.
    headers.set("cf-connecting-ip", "");
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
    const text = body === undefined ? null : JSON.stringify(body);
    if (text !== null) {
      headers.set("content-type", "application/json");
      headers.set("content-length", String(new TextEncoder().encode(text).byteLength));
    }
    const request = new Request(`https://sluice.internal${path}`, { method, headers, body: text });
    const response = await serve(request, this.env, this.ctx);
    const returned = RETURNED_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return { status: response.status, headers: Object.fromEntries(returned), text: await response.text() };
  }
}
