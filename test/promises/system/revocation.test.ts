import { expect, onTestFinished, test } from "vitest";
import { type Server, startServer } from "../../../scripts/server.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { http } from "../../support/http.ts";

/** Four isolates over the same objects: a right that is removed in one is gone in all once the call returns. */

async function ask(url: string, method: string, path: string, key: string, body?: object) {
  const answer = await http(method, url + path, { key, body });
  return { status: answer.status, body: (answer.body ?? {}) as Record<string, never> };
}

/**
 * Calls every isolate repeatedly until told to stop, and at least once each after `answered` is set. Returns the
 * results.
 */
function hammer(server: Server, path: string, key: string) {
  const state = { answered: false, before: new Set<number>(), after: new Set<number>(), running: true };
  const loops = server.urls.map(async (url) => {
    let answered = false;
    while (state.running || !answered) {
      answered = state.answered;
      const { status } = await ask(url, "GET", path, key);
      (answered ? state.after : state.before).add(status);
    }
  });
  return {
    state,
    stop: async () => {
      state.running = false;
      await Promise.all(loops);
    },
  };
}

test("once a revocation returns, no isolate accepts the key; the same for a suspension", async () => {
  const server = await startServer({ port: 0, dataDir: temporaryFolder(), isolates: 4 });
  onTestFinished(() => server.dispose());
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const [first, second = first, third = first, fourth = first] = server.urls;
  const made = await ask(first, "POST", "/v1/admin/orgs", operator, { name: "Acme" });
  const { org, owner_key: owner } = made.body as unknown as { org: { id: string }; owner_key: string };
  const path = `/v1/orgs/${org.id}`;
  // Well above what the loops below can use, because they are not about the read limit.
  const limits = { read_rpm: 1_000_000, policies: [] };
  await ask(first, "PUT", `/v1/admin/orgs/${org.id}/rate-limits`, operator, limits);
  const minted = await ask(second, "POST", `${path}/keys`, owner, { name: "k", role: "viewer" });
  const { id, key } = minted.body as unknown as { id: string; key: string };
  const everywhere = (bearer: string) => Promise.all(server.urls.map((url) => ask(url, "GET", path, bearer)));

  const load = hammer(server, path, key);
  expect((await everywhere(key)).map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  const revoked = await ask(third, "DELETE", `${path}/keys/${id}`, owner);
  load.state.answered = true;
  expect(revoked.status).toBe(204);
  expect((await everywhere(key)).map((answer) => answer.status)).toEqual([410, 410, 410, 410]);
  await load.stop();
  expect([...load.state.after]).toEqual([410]);

  const suspension = hammer(server, path, owner);
  await everywhere(owner);
  const suspended = await ask(fourth, "POST", `/v1/admin/orgs/${org.id}/suspend`, operator);
  suspension.state.answered = true;
  expect(suspended.status).toBe(200);
  expect((await everywhere(owner)).map((answer) => answer.status)).toEqual([403, 403, 403, 403]);
  await suspension.stop();
  expect([...suspension.state.before]).toContain(200);
  expect([...suspension.state.after]).toEqual([403]);
});
