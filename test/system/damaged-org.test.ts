import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newId } from "../../src/domain/bytes/ulid.ts";
import type { Server } from "../../scripts/server.ts";
import { http } from "../support/http.ts";
import { ownServer } from "../support/server.ts";

/** An org whose database on disk is damaged. */

const PAGE = 4096;
const DAMAGED_BYTES = 512;

/** Overwrites a part of each page of the database that has a text in it, but for the first. */
function damage(server: Server, text: string): void {
  const folders = readdirSync(server.folder.path, { recursive: true, withFileTypes: true });
  const files = folders.filter(
    ({ name, parentPath }) => parentPath.endsWith("OrgObject") && name.endsWith(".sqlite"),
  );
  const paths = files.map(({ name, parentPath }) => join(parentPath, name));
  const path = paths.find((one) => readFileSync(one).includes(text));
  if (path === undefined) throw new Error(`no database has '${text}'`);
  const bytes = readFileSync(path);
  for (let at = PAGE; at < bytes.length; at += PAGE) bytes.fill(0xa5, at, at + DAMAGED_BYTES);
  writeFileSync(path, bytes);
}

test("an org with a damaged database is named by the health check, and its operator is told", async () => {
  const server = await ownServer();
  const [url] = server.urls;
  const operatorKey = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await http("POST", `${url}/v1/admin/orgs`, { key: operatorKey, body: { name: "Acme" } });
  const { org, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const marker = newId("only", Date.now());
  const limit = { customer_id: marker, limit_usd: "5", period: "month" };
  const path = `${url}/v1/orgs/${org.id}/customer-limits`;
  expect((await http("POST", path, { key, body: limit })).status).toBe(201);
  // What the log has goes to the tables, and the file is closed.
  expect((await http("GET", path, { key })).status).toBe(200);
  const health = () => http("GET", `${url}/healthz?deep=1`, { key: operatorKey });
  expect((await health()).body).toMatchObject({ status: "ok", damaged: [] });
  await server.evict(org.id);
  damage(server, marker);

  const refused = await http("GET", path, { key });
  expect([refused.status, refused.body.error.code]).toEqual([503, "service_unavailable"]);
  expect(refused.text).not.toMatch(/database|runbook/);
  const told = await http("GET", path, { key: operatorKey });
  expect([told.status, told.body.error.message]).toEqual([503, expect.stringContaining("runbook")]);
  const named = { org_id: org.id, part: "database", file: null };
  await expect
    .poll(async () => (await health()).body, { interval: 500 })
    .toMatchObject({ status: "failing", damaged: [named] });
  expect((await health()).status).toBe(503);
});
