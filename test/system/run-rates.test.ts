import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, atEdge, Isolates } from "../support/isolates.ts";

let isolates: Isolates;
beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

const LIMIT = 60_000;
const EACH = 100;

test("decisions in four isolates, runs and bulks together never exceed a token limit, and use it up", async () => {
  const org = await isolates.newOrg();
  const month = { window_seconds: 2_592_000, kind: "quota" };
  await isolates.limitRates(org, [{ name: "t", match: {}, unit: "tokens", limit: LIMIT, ...month }]);
  const run = {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    usage: { input_tokens: EACH, output_tokens: 0 },
    cost_usd: "0",
  };
  const estimate = { cost_usd: "0.01", input_tokens: EACH, max_output_tokens: 0 };
  const decided: Answer[] = [];
  let admitted = 0;
  const one = async (n: number): Promise<void> => {
    if (n % 5 === 0) {
      const { status } = await isolates.call(n, "POST", "/v1/runs", org.key, run);
      if (status === 201) admitted += EACH;
    } else if (n % 5 === 1) {
      const answer = await isolates.call(n, "POST", "/v1/runs/bulk", org.key, { runs: [run, run, run] });
      if (answer.status === 200) admitted += EACH * (answer.body.accepted as number);
    } else {
      const answer = await isolates.decide(org, n, { estimate });
      decided.push(answer);
      if (answer.status === 200) admitted += EACH;
    }
    expect(admitted).toBeLessThanOrEqual(LIMIT);
  };
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < 900) {
      sent += 1;
      await one(sent);
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  expect(atEdge(decided).length).toBeGreaterThan(0);
  // What isolates had leased and not used comes back, and is used to the last token.
  const rest = async () => {
    for (let n = 0; n < 4; n += 1) await one(5 * n);
    return admitted;
  };
  await expect.poll(rest, { interval: 200 }).toBe(LIMIT);
});
