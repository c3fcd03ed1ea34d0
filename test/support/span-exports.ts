import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { newSpender, type Spender } from "./ledger.ts";
import { spansIn } from "./otlp.ts";
import { receivedAt, receiver } from "./receivers.ts";
import { env } from "./worker.ts";

/** Runs and refusals of an org, sent as spans to a receiver that its owner has named. */

export const TRACE = "0af7651916cd43dd8448eb211c80319c";
export const SPAN = "b7ad6b7169203331";
export const PARENT = `00-${TRACE}-${SPAN}-01`;
export const SECRET = "Bearer a-secret-that-is-never-read-back";

type Answer = Parameters<typeof receiver>[0];

export async function exporting(answer?: Answer, more: object = {}) {
  const org = await newSpender();
  const url = receiver(answer, "/v1/traces");
  const destination = {
    kind: "otlp",
    endpoint: new URL(url).origin,
    headers: { authorization: SECRET },
    ...more,
  };
  const set = await org.send("PUT", "exports/spans", { destination });
  expect(set.status).toBe(200);
  return { org, url, set, destination };
}

export const arrived = (url: string) => receivedAt(url).flatMap(({ body }) => spansIn(body));
export const stateOf = async (org: Spender) => (await org.send("GET", "exports/spans")).body;

export function inObject<T>(org: Spender, use: (sql: SqlStorage, now: number) => T): Promise<T> {
  return runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
    storage.transactionSync(() => use(storage.sql, Date.now())),
  );
}
