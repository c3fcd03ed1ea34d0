import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../../support/ledger.ts";
import { type Adjusted, type Asked, type Made, Model, type RunNames } from "./report-model.ts";
import { call } from "../../support/worker.ts";

const BASE = Date.parse("2026-11-01T00:00:00Z");
const DAY = 86_400_000;

const names: fc.Arbitrary<RunNames> = fc.record(
  {
    model: fc.constantFrom("m1", "m2"),
    provider: fc.constantFrom("p1", "p2"),
    user_id: fc.constantFrom("u1", "u2"),
    customer_id: fc.constantFrom("c1", "c2", "c3"),
    department_id: fc.constantFrom("d1"),
    tags: fc.constantFrom({ team: "red" }, { team: "blue", env: "prod" }, { env: "prod" }),
  },
  { requiredKeys: ["model"] },
);
const made: fc.Arbitrary<Made> = fc.record({
  names,
  startedAt: fc.integer({ min: BASE - 40 * DAY, max: BASE + 14 * DAY }),
  nanos: fc.oneof(
    fc.bigInt(0n, 5_000_000_000n),
    fc.constantFrom(1n, 999_999_999_999_999_999n, 8_999_999_999_999_999n),
  ),
  input: fc.nat(5000),
  output: fc.nat(5000),
  cached: fc.constantFrom(0, 0, 1, 7),
});
type Step =
  | { kind: "record"; runs: Made[] }
  | { kind: "adjust"; which: number; nanos: bigint }
  | { kind: "wait"; days: 2 | 5 };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      runs: fc.array(made, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      runs: fc.array(made, { minLength: 60, maxLength: 90 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("adjust" as const),
      which: fc.nat(),
      nanos: fc.bigInt(-2_000_000_000n, 2_000_000_000n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      days: fc.constantFrom(2 as const, 5 as const),
    }),
  },
);
const grouping = fc.constantFrom(
  "day",
  "week",
  "month",
  "model",
  "provider",
  "user_id",
  "customer_id",
  "department_id",
  "workflow_id",
  "tag:team",
  "tag:env",
);
const asked: fc.Arbitrary<Asked> = fc.record({
  groupBy: fc.uniqueArray(grouping, { minLength: 1, maxLength: 3 }),
  timezone: fc.constantFrom("UTC", "UTC", "Asia/Tokyo", "America/New_York"),
  customer: fc.constantFrom(null, null, "c1"),
  fromDay: fc.constantFrom("2026-09-01", "2026-10-20", "2026-11-05"),
});

async function play(org: Spender, model: Model, one: Step): Promise<void> {
  if (one.kind === "wait") {
    model.now = await org.advance(one.days * 86_400);
    return;
  }
  if (one.kind === "record") {
    const runs = one.runs.map((run) => model.record(run));
    const bodies = runs.map((run) => aRun(run));
    const answer = bodies.length === 1 ? await org.run(bodies[0]) : await org.bulk(bodies);
    expect(answer.status).toBe(bodies.length === 1 ? 201 : 200);
    return;
  }
  const run = model.adjustable(one.which, one.nanos);
  if (run === null) return;
  const body = { amount_usd: run.amount, reason: "r" };
  const answer = await call("POST", `/v1/runs/${run.id}/adjustments`, { key: org.key, body });
  expect(answer.status).toBe(201);
  const adjusted: Adjusted = { runId: run.id, nanos: one.nanos, atMs: Date.parse(answer.body.created_at) };
  model.adjust(adjusted);
}

/** Whether the daily sums can answer it. */
function isDaily({ groupBy, timezone, customer }: Asked): boolean {
  const grouped = groupBy.filter((name) => !["day", "week", "month"].includes(name));
  const all = new Set(customer === null ? grouped : [...grouped, "customer_id"]);
  const kept = ["model", "customer_id", "department_id", "workflow_id"];
  return timezone === "UTC" && all.size <= 1 && [...all].every((name) => kept.includes(name));
}

test("reports are those of a plain array of runs and adjustments, before and after retention", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 14 }),
      fc.array(asked, { minLength: 6, maxLength: 6 }),
      async (steps, questions) => {
        const org = await newSpender();
        await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
        const model = new Model(await org.advance(1));
        // Every tag is known, and something is there to report.
        await play(org, model, {
          kind: "record",
          runs: [
            {
              names: { model: "m1", tags: { team: "red", env: "prod" } },
              startedAt: BASE,
              nanos: 1n,
              input: 1,
              output: 1,
              cached: 0,
            },
          ],
        });
        for (const one of steps) await play(org, model, one);
        for (const question of questions) {
          const filter = question.customer === null ? "" : `&customer_id=${question.customer}`;
          const { status, body } = await org.send(
            "GET",
            `usage/report?from=${question.fromDay}&to=2027-03-01&group_by=${question.groupBy.join(",")}&timezone=${question.timezone}${filter}&limit=50000`,
          );
          expect(status).toBe(200);
          const { includes_deleted: includesDeleted, deleted_before: deletedBefore } = body;
          expect(deletedBefore !== null).toBe(model.hasDeleted());
          expect(includesDeleted).toBe(model.hasDeleted() && isDaily(question));
          expect(Model.shown(body.data, question.groupBy)).toEqual(model.report(question, includesDeleted));
        }
      },
    ),
    // Shrinking would play the steps of a whole org many times over.
    { numRuns: 8, endOnFailure: true },
  );
});
