import { runInDurableObject } from "cloudflare:test";
import type { Envelope } from "../../src/org/kernel/door.ts";
import { answerOf } from "./answer.ts";
import { env, operatorKey, serve } from "./worker.ts";

/** Backups of orgs, from outside. */

/** What an object is told of an operator's call. */
export const OPERATOR: Envelope = {
  actor: { kind: "operator", id: "operator", role: "operator", onBehalfOf: null, address: null },
  trace: "test",
  idempotency: null,
  ifMatch: null,
};

const FROM = { "cf-connecting-ip": "203.0.113.7" };

export function askBackup(orgId: string): Promise<Response> {
  const headers = { ...FROM, authorization: `Bearer ${operatorKey()}` };
  return serve(`http://sluice.test/v1/admin/orgs/${orgId}/backup`, { headers });
}

export async function backup(orgId: string): Promise<Buffer> {
  const answer = await askBackup(orgId);
  const type = answer.headers.get("content-type");
  if (answer.status !== 200 || type !== "application/octet-stream") {
    throw new Error(`no backup: ${answer.status} ${await answer.text()}`);
  }
  return Buffer.from(await answer.arrayBuffer());
}

export async function sendArchive(archive: Uint8Array, bearer: string | null = operatorKey()) {
  const headers = new Headers({ ...FROM, "content-type": "application/octet-stream" });
  if (bearer !== null) headers.set("authorization", `Bearer ${bearer}`);
  // In small pieces, as a network delivers them.
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < archive.byteLength; at += 1000) controller.enqueue(archive.slice(at, at + 1000));
      controller.close();
    },
  });
  return answerOf(await serve("http://sluice.test/v1/admin/orgs/import", { method: "POST", headers, body }));
}

/** As if this deployment had never had the org. */
export async function forget(orgId: string): Promise<void> {
  await runInDurableObject(env.ORG.getByName(orgId), async (_object, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  }).catch(() => undefined);
  const stub = env.ORG.getByName(orgId);
  await runInDurableObject(stub, (_object, state) => state.abort("forgotten")).catch(() => undefined);
}
