import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, type Answer, Isolates, type Org } from "../support/isolates.ts";

/** Decisions that are checked against everything, over four real isolates. */

let isolates: Isolates;
beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

const CALLS = 1200;
const ROOM = { runs: 300, chain: 50, credits: 80 };

function notRunning(error: Error): void {
  if (!error.message.includes("not currently running")) throw error;
}

async function governed(): Promise<{ org: Org; packId: string }> {
  const org = await isolates.newOrg();
  const send = async (method: string, path: string, key: string, body: object): Promise<Answer> => {
    const answer = await isolates.call(0, method, path, key, body);
    expect([200, 201]).toContain(answer.status);
    return answer;
  };
  // Far from the limit: decisions against limits only use leases of it, beside those that the object decides.
  await isolates.budget(org, "100000");
  const plan = { runs_limit: ROOM.runs, tokens_limit: null, overage_policy: "block" };
  await send("PUT", "/v1/admin/plans/raced", isolates.operator, plan);
  await send("PATCH", `/v1/admin/orgs/${org.id}`, isolates.operator, { plan: "raced" });
  await send("PUT", `/v1/orgs/${org.id}/chain-budget`, org.key, { max_cost_usd: String(ROOM.chain / 100) });
  const pack = { customer_id: "c", amount_usd: String(ROOM.credits / 100) };
  const made = await send("POST", `/v1/orgs/${org.id}/credit-packs`, org.key, pack);
  return { org, packId: made.body.id };
}

const KINDS = [{ chain: { chain_id: "x" } }, { customer_id: "c" }, {}] as const;
const kindOf = (n: number) => Math.floor(n / 8) % KINDS.length;

/** Half of the calls, in every isolate. */
const isChecked = (n: number) => Math.floor(n / 4) % 2 === 0;

test("a plan, a chain and a credit pack are never exceeded, with a lost isolate and a restarted object in between", async () => {
  const { org, packId } = await governed();
  const given: { n: number; answer: Answer }[] = [];
  const drive = async (from: number, calls: number): Promise<void> => {
    let sent = from;
    const client = async (): Promise<void> => {
      while (sent < from + calls) {
        sent += 1;
        const n = sent;
        const fields = isChecked(n) ? { checks: "all", ...KINDS[kindOf(n)] } : {};
        const answer = await isolates.decide(org, n, fields);
        expect([200, 402, 503]).toContain(answer.status);
        if (answer.status === 200 && isChecked(n)) given.push({ n, answer });
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
  };
  await drive(0, CALLS / 2);
  await Promise.all([
    drive(CALLS / 2, CALLS),
    isolates.make(3, "vanish", org.id),
    isolates.server.evict(org.id).catch(notRunning),
  ]);
  const ofKind = (kind: number) => given.filter(({ n }) => kindOf(n) === kind);
  expect([ofKind(0).length, ofKind(1).length, given.length]).toEqual([ROOM.chain, ROOM.credits, ROOM.runs]);
  expect(given.every(({ answer }) => answer.headers.get("x-svc-decided") === "object")).toBe(true);

  const runs = given.map(({ n, answer }) => ({
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.005",
    reservation_id: answer.body.reservation.id as string,
    ...KINDS[kindOf(n)],
  }));
  const settled = await Promise.all(
    [0, 1].map((isolate) => isolates.call(isolate, "POST", "/v1/runs/bulk", org.key, { runs })),
  );
  const accepted = settled.map(({ body }) => (body.accepted as number | undefined) ?? 0);
  expect(accepted.toSorted((a, b) => a - b)).toEqual([0, ROOM.runs]);
  const pack = await isolates.call(2, "GET", `/v1/orgs/${org.id}/credit-packs/${packId}`, org.key);
  expect(pack.body).toMatchObject({ spent_usd: "0.40", reserved_usd: "0.00", remaining_usd: "0.40" });
  const plan = await isolates.call(2, "GET", `/v1/orgs/${org.id}/plan`, org.key);
  expect(plan.body.runs_used).toBe(ROOM.runs);
  const next = await isolates.decide(org, 1, { checks: "all" });
  expect(next.body.error.code).toBe("plan_limit_exceeded");
});

test("an org's decision defaults apply in every isolate once the change returns", async () => {
  const org = await isolates.newOrg();
  await isolates.budget(org, "100000");
  const rule = { target: "model", effect: "deny", when: 'model == "bad"', reason: "not cleared" };
  await isolates.call(0, "POST", `/v1/orgs/${org.id}/policy-rules`, org.key, rule);
  const fields = { model: "bad" };
  const before = await isolates.drive(org, 400, 16, () => fields);
  expect(allowed(before)).toHaveLength(400);
  const body = { decision_defaults: { checks: "all" } };
  expect((await isolates.call(2, "PATCH", `/v1/orgs/${org.id}`, org.key, body)).status).toBe(200);
  const after = await isolates.drive(org, 80, 16, () => fields);
  expect(after.map(({ body: { error } }) => error?.code)).toEqual(after.map(() => "policy_blocked"));
});
