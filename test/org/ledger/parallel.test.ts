import { expect, test } from "vitest";
import { World } from "./world.ts";

const PARALLEL = 200;
const ROOM = 37;

const aRun = (fields: object) => ({
  started_at: "2027-01-01T00:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "1",
  ...fields,
});

async function opened(): Promise<World> {
  const world = new World();
  await world.open();
  return world;
}

const times = <T>(count: number, ask: () => Promise<T>) => Promise.all(Array.from({ length: count }, ask));

test.each([
  ["a customer with a limit of its own", "known", "known"],
  ["a customer never seen before", "new", "*"],
])(
  "of 200 parallel runs for %s, exactly as many are admitted as there is room for",
  async (_who, customer_id, row) => {
    const world = await opened();
    await world.call("createCustomerLimit", { customer_id: row, limit_usd: String(ROOM), period: "day" });
    const answers = await times(PARALLEL, () => world.call("recordRun", aRun({ customer_id })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(ROOM);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(PARALLEL - ROOM);
  },
);

test("of 200 parallel decisions, exactly as many are held as there is room for", async () => {
  const world = await opened();
  await world.call("setSpendCap", { cap_usd: String(ROOM), timezone: "UTC" });
  const answers = await times(PARALLEL, () => world.call("decide", { estimate: { cost_usd: "1" } }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(ROOM);
  expect(await world.query("getSpendCap", {})).toMatchObject({
    reserved_usd: `${ROOM}.00`,
    spent_usd: "0.00",
  });
});

test("the same run sent 100 times at once is charged once, also under another Idempotency-Key and in a batch", async () => {
  const world = await opened();
  const answers = await times(100, () => world.call("recordRun", aRun({ id: "same" })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
  const text = JSON.stringify({ runs: [aRun({ id: "same" }), aRun({ id: "same" })] });
  const batch = await world.call("recordRuns", { text, isChecked: false }, "twice");
  expect(batch.body).toMatchObject({ accepted: 0, duplicates: 2 });
  expect(await world.query("getPlan", {})).toMatchObject({ runs_used: 1 });
});
