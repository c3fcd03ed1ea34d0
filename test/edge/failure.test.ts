import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { call, env, newOrg } from "../support/worker.ts";

test("an exception is 500 internal; its message is only in the log, under the response's trace id", async () => {
  const org = await newOrg();
  await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
  await runInDurableObject(env.ORG.getByName(org.id), (_, state) => {
    state.storage.sql.exec("DROP TABLE keys");
  });
  const logged: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
  const answer = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
  spy.mockRestore();
  expect(answer.status).toBe(500);
  expect(answer.body.error).toMatchObject({ code: "internal", details: {} });
  expect(answer.text).not.toContain("keys");
  const lines = logged.map((line) => JSON.parse(line) as { trace: string; cause: string });
  const line = lines.find((one) => one.trace === answer.headers.get("x-svc-trace-id"));
  expect(line?.cause).toContain("no such table");
});

test("a failed request leaves one log line that contains no secret", async () => {
  const org = await newOrg();
  const logged: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void logged.push(line));
  const answer = await call("GET", `/v1/orgs/${org.id}/keys/none`, { key: org.ownerKey });
  spy.mockRestore();
  const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  const mine = lines.filter((line) => line["trace"] === answer.headers.get("x-svc-trace-id"));
  expect(mine).toEqual([
    expect.objectContaining({
      method: "GET",
      route: "/v1/orgs/{id}/keys/{key_id}",
      status: 404,
      code: "not_found",
      org: org.id,
      region: "local",
    }),
  ]);
  expect(JSON.stringify(logged)).not.toContain(org.ownerKey);
});

test("the log line of a call to a path of another org names the caller's org", async () => {
  const [org, other] = await Promise.all([newOrg(), newOrg()]);
  const logged: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void logged.push(line));
  const answer = await call("GET", `/v1/orgs/${other.id}/keys`, { key: org.ownerKey });
  spy.mockRestore();
  const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  const mine = lines.find((line) => line["trace"] === answer.headers.get("x-svc-trace-id"));
  expect(mine).toMatchObject({ org: org.id, status: 404 });
});
