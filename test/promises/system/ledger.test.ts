import { afterAll, beforeAll, expect, test } from "vitest";
import { http } from "../../support/http.ts";
import { type ServerFixture, serverFixture } from "../../support/server.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** The ledger over sockets, with the runtime killed in the middle of it. */

const RUNS = 200;

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

let fixture: ServerFixture;
beforeAll(async () => {
  fixture = await serverFixture({ isolates: 2 });
});
afterAll(() => fixture.end());

async function opened() {
  const { server } = fixture;
  let turn = 0;
  const ask = async (method: string, path: string, key: string, body?: object): Promise<Reply> => {
    const url = server.urls[turn++ % server.urls.length];
    const answer = await http(method, `${url}${path}`, { key, body });
    return { status: answer.status, body: (answer.body ?? {}) as Record<string, unknown> };
  };
  const made = await ask("POST", "/v1/admin/orgs", server.settings["SVC_OPERATOR_KEY"] ?? "", {
    name: "Acme",
  });
  const { org, owner_key: key } = made.body as unknown as { org: { id: string }; owner_key: string };
  return {
    server,
    org: org.id,
    ask: (method: string, path: string, body?: object) => ask(method, path, key, body),
  };
}

const aRun = (fields: object) => ({
  started_at: "2026-11-15T02:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.000000001",
  ...fields,
});

test("of 200 parallel runs through two isolates, exactly as many are admitted as there is room for", async () => {
  const { org, ask } = await opened();
  await ask("POST", `/v1/orgs/${org}/customer-limits`, {
    customer_id: "*",
    limit_usd: "0.000000037",
    period: "day",
  });
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => ask("POST", "/v1/runs", aRun({ customer_id: "never seen" }))),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(201), count(402)]).toEqual([37, 163]);
});

test("runs retried until they are acknowledged are each recorded once, through crashes of the runtime", async () => {
  const { server, org, ask } = await opened();
  const made = await ask("POST", `/v1/orgs/${org}/budgets`, {
    scope_kind: "org",
    limit_usd: "1",
    period: "year",
  });
  let crashes = 0;
  const send = async (id: string): Promise<void> => {
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
      const answer = await ask("POST", "/v1/runs", aRun({ id })).catch(() => null);
      if (answer?.status === 200 || answer?.status === 201) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${id} was never acknowledged`);
  };
  const ids = Array.from({ length: RUNS }, (_, i) => `r${i}`);
  for (let at = 0; at < ids.length; at += 50) {
    const sent = Promise.all(ids.slice(at, at + 50).map(send));
    if (at % 100 === 50) {
      await server.crash();
      crashes++;
    }
    await sent;
  }
  expect(crashes).toBe(2);
  const budget = await ask("GET", `/v1/orgs/${org}/budgets/${String(made.body["id"])}`);
  expect(budget.body).toMatchObject({ spent_usd: "0.0000002", reserved_usd: "0.00" });
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = await ask("GET", `/v1/runs?limit=200${cursor}`);
    seen.push(...(page.body["data"] as { id: string }[]).map((run) => run.id));
    const next = page.body["next_cursor"] as string | null;
    cursor = next === null ? "" : `&cursor=${next}`;
  } while (cursor !== "");
  expect(seen.toSorted()).toEqual(ids.toSorted());
});
