import type { Server } from "../server.ts";

export type Send = (
  method: string,
  path: string,
  key: string,
  body?: string,
) => Promise<Record<string, never>>;

/**
 * The runtime closes connections that were idle for a while, and a busy machine may notice too late. What was about to use one
 * goes over another, once.
 */
export async function reach(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, init).catch(() => fetch(url, init));
}

/** Calls a server. What is not answered well ends the bench. */
export function sender(base: string): Send {
  return async (method, path, key, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await reach(`${base}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as Record<string, never>;
  };
}

/** A new org and its owner key. */
export async function newBenchOrg(server: Server, send: Send): Promise<{ id: string; key: string }> {
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await send("POST", "/v1/admin/orgs", operator, JSON.stringify({ name: "bench" }));
  const { org, owner_key: key } = made as unknown as { org: { id: string }; owner_key: string };
  return { id: org.id, key };
}
