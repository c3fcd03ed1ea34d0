import { createExecutionContext, type D1Migration, env as testEnv } from "cloudflare:test";
import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { answerOf, type HttpAnswer as Answer } from "./answer.ts";

/** The Worker under test, in this isolate, over its own routes. */

export type { HttpAnswer as Answer } from "./answer.ts";

export interface TestEnv extends Env {
  readonly TEST_MIGRATIONS: D1Migration[];
  readonly SVC_KEY_PEPPER: string;
  readonly SVC_OPERATOR_KEY: string;
}
export const env = testEnv as unknown as TestEnv;

export interface CallOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  /** A body without a declared length. */
  readonly stream?: ReadableStream;
  readonly headers?: Record<string, string>;
  /** The caller's address. Each test file that fails on purpose uses its own. */
  readonly from?: string;
}

/**
 * The Worker itself. `SELF` wraps the runtime again at each request: each is slower, and after thousands the stack
 * overflows.
 */
export async function serve(address: string, init?: RequestInit): Promise<Response> {
  const request = new Request(address, init) as Parameters<typeof worker.fetch>[0];
  return worker.fetch(request, env, createExecutionContext());
}

export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.key !== null && options.key !== undefined)
    headers.set("authorization", `Bearer ${options.key}`);
  headers.set("cf-connecting-ip", options.from ?? "203.0.113.7");
  let body: string | ReadableStream | undefined = options.stream;
  if (body === undefined && options.body !== undefined) {
    body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
  }
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  // Like every client that has its whole body.
  if (typeof body === "string" && !headers.has("content-length")) {
    headers.set("content-length", String(new TextEncoder().encode(body).byteLength));
  }
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return answerOf(await serve(`http://sluice.test${path}`, init));
}

export const operatorKey = (): string => env.SVC_OPERATOR_KEY;

export interface TestOrg {
  readonly id: string;
  readonly ownerKey: string;
  /** A key with another role, or with a list of scopes. */
  mint(role: string, more?: object): Promise<string>;
}

export async function newOrg(fields: object = {}): Promise<TestOrg> {
  const made = await call("POST", "/v1/admin/orgs", {
    key: operatorKey(),
    body: { name: "Acme", ...fields },
  });
  if (made.status !== 201) throw new Error(`no org: ${made.status} ${made.text}`);
  const { org, owner_key: ownerKey } = made.body as { org: { id: string }; owner_key: string };
  return {
    id: org.id,
    ownerKey,
    async mint(role, more = {}) {
      const minted = await call("POST", `/v1/orgs/${org.id}/keys`, {
        key: ownerKey,
        body: { name: role, role, ...more },
      });
      if (minted.status !== 201) throw new Error(`no key: ${minted.status} ${minted.text}`);
      return (minted.body as { key: string }).key;
    },
  };
}
