import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, atEdge, Isolates, type Org } from "../../support/isolates.ts";

/** Refusals of four real isolates, read through one of them. */

let isolates: Isolates;

beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

interface Listed {
  readonly trace_id: string;
  readonly decided: string;
  readonly at: string;
  readonly customer_id: string;
}

async function list(org: Org): Promise<Listed[]> {
  const all: Listed[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `&cursor=${cursor}`;
    const path = `/v1/orgs/${org.id}/refusals?limit=200${next}`;
    const { body } = await isolates.call(0, "GET", path, org.key);
    all.push(...(body.data as Listed[]));
    cursor = body.next_cursor as string | null;
  } while (cursor !== null);
  return all;
}

async function count(org: Org): Promise<number> {
  return (await isolates.call(0, "GET", `/v1/orgs/${org.id}/refusals/summary`, org.key)).body.count;
}

const traces = (answers: readonly Answer[]): string[] =>
  answers.map(({ headers }) => headers.get("x-svc-trace-id") ?? "");

/** Refused calls in every isolate until each has refused some by itself. */
async function refuse(org: Org, calls: number): Promise<Answer[]> {
  const answers = await isolates.drive(org, calls, 16, (n) => ({ customer_id: `c${n % 5}` }));
  expect(answers.every(({ status }) => status === 402)).toBe(true);
  return answers;
}

test("every refusal of every isolate is listed once and counted exactly, wherever it was decided", async () => {
  const org = await isolates.newOrg();
  await isolates.budget(org, "0");
  const answers = [...(await refuse(org, 400)), ...(await refuse(org, 400))];
  expect(atEdge(answers).length).toBeGreaterThan(0);
  await expect.poll(() => count(org)).toBe(answers.length);
  const listed = await list(org);
  expect(listed).toHaveLength(answers.length);
  expect(new Set(listed.map(({ trace_id }) => trace_id))).toEqual(new Set(traces(answers)));
  expect(listed.map(({ at }) => at)).toEqual(
    listed
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  const edge = new Set(traces(atEdge(answers)));
  for (const { trace_id, decided } of listed) expect(decided).toBe(edge.has(trace_id) ? "edge" : "object");
  const path = `/v1/orgs/${org.id}/refusals/summary?group_by=customer_id`;
  const { data } = (await isolates.call(1, "GET", path, org.key)).body as { data: { count: number }[] };
  expect(data.map((line) => line.count)).toEqual([160, 160, 160, 160, 160]);
});

test("a trace that one isolate refused can be explained by another", async () => {
  const org = await isolates.newOrg();
  const budget = await isolates.budget(org, "0");
  const [last] = atEdge(await refuse(org, 200)).slice(-1);
  const trace = last?.headers.get("x-svc-trace-id") ?? "";
  const explain = () => isolates.call(2, "POST", `/v1/orgs/${org.id}/explain`, org.key, { trace_id: trace });
  await expect.poll(async () => (await explain()).status).toBe(200);
  const { body } = await explain();
  expect(body).toMatchObject({
    outcome: "refused",
    refusal: { trace_id: trace, decided: "edge", limit: budget },
  });
});

test("a refusal in an isolate does not wait for the object", async () => {
  const org = await isolates.newOrg();
  await isolates.budget(org, "0");
  await refuse(org, 200);
  await expect.poll(() => count(org)).toBe(200);
  const waits: string[] = [];
  for (let tries = 0; tries < 200 && waits.length === 0; tries += 1) {
    const warm = await isolates.decide(org, 3);
    expect(warm.status).toBe(402);
    await isolates.make(3, "hang", org.id);
    const refused = await Promise.race([
      isolates.decide(org, 3),
      new Promise<null>((resolve) => {
        setTimeout(resolve, 3000, null);
      }),
    ]);
    await isolates.make(3, "answer", org.id);
    if (refused !== null && refused.status === 402) waits.push(refused.headers.get("x-svc-decided") ?? "");
  }
  expect(waits).toEqual(["edge"]);
});
