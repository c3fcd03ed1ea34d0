import type { Server } from "../server.ts";

export type Send = (
  method: string,
  path: string,
  key: string,
  body?: string,
) => Promise<Record<string, never>>;

/** Calls a server. What is not answered well ends the bench. */
export function sender(base: string): Send {
  return async (method, path, key, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${base}${path}`, {
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
