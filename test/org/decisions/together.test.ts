import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DecisionReply } from "../../../src/gate/decision/object-verdict.ts";
import { NeedsFetch } from "../../../src/storage/needs-fetch.ts";
import type { PlainCall } from "../../../src/org/decision-batch.ts";
import { OPERATOR } from "../../support/backup.ts";
import { killedInCall } from "../../support/kills.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { call, env } from "../../support/worker.ts";

/** Decisions that come to the object in one call: each as if it had come alone. */

const ACTOR = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null } as const;

function callOf(ask: object): PlainCall {
  const envelope = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };
  return { ask, keyId: ACTOR.id, wantsPlan: false, envelope } as unknown as PlainCall;
}

const fetched = () => Promise.resolve();

const usd = (cost_usd: string, more: object = {}) => ({ estimate: { cost_usd }, ...more });

const together = async (orgId: string, calls: readonly PlainCall[]) =>
  await env.ORG.getByName(orgId).decideTogether(JSON.stringify(calls));

const answersOf = async (orgId: string, asks: readonly object[]) =>
  (
    await together(
      orgId,
      asks.map((ask) => callOf(ask)),
    )
  )?.answers ?? [];

async function budgeted(limit_usd: string): Promise<Spender & { reserved(): Promise<string> }> {
  const org = await newSpender();
  const made = await org.send("POST", "budgets", { scope_kind: "org", limit_usd, period: "total" });
  const { id } = made.body as { id: string };
  return { ...org, reserved: async () => (await org.send("GET", `budgets/${id}`)).body.reserved_usd };
}

/** What there is to say of an answer, beside its times. */
function gist(answer: unknown): unknown {
  if (answer === null || answer === false) return answer;
  const { text, refusal } =
    typeof answer === "string" ? { text: answer, refusal: null } : (answer as DecisionReply);
  if (refusal !== null) return refusal;
  const { decision, reservation, limits, would_deny } = JSON.parse(text ?? "");
  const named = limits.map(({ kind, available_usd }: Record<string, string>) => [kind, available_usd]);
  return { decision, amount: reservation?.amount_usd, named, would_deny: would_deny?.code };
}

/** Ids and times, which no two orgs share. */
const UNLIKE = /"(\w{3}_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z)"/g;

const ASKS = fc.array(
  fc.record({
    cents: fc.integer({ min: 0, max: 150 }),
    request: fc.option(fc.integer({ min: 0, max: 3 })),
    kind: fc.constantFrom("plain", "plain", "plain", "dry", "bad", "unpriced", "customer"),
  }),
  { minLength: 1, maxLength: 16 },
);

function askOf({ cents, request, kind }: { cents: number; request: number | null; kind: string }): object {
  const named = request === null ? {} : { request_id: `req_${request}` };
  if (kind === "bad") return { ...named };
  if (kind === "unpriced") return { ...named, estimate: { input_tokens: cents } };
  const more = { dry: { dry_run: true }, customer: { customer_id: "c" } }[kind] ?? {};
  return usd((cents / 100).toFixed(2), { ...named, ...more });
}

test("the object wakes when the first of their reservations expires", async () => {
  const org = await budgeted("5");
  const alarm = () =>
    runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => storage.getAlarm());
  const [text] = await answersOf(org.id, [usd("1", { hold_seconds: 30 }), usd("1", { hold_seconds: 600 })]);
  const { expires_at } = JSON.parse(text as string).reservation;
  expect(await alarm()).toBeLessThan(Date.parse(expires_at) + 1000);
});

test("each is decided as if it had come alone, whatever stands beside it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 600 }),
      fc.array(ASKS, { maxLength: 4 }),
      async (limit, batches) => {
        const limitUsd = (limit / 100).toFixed(2);
        const [one, other] = [await budgeted(limitUsd), await budgeted(limitUsd)];
        for (const batch of batches) {
          const asks = batch.map(askOf);
          const singly: unknown[] = [];
          for (const ask of asks) {
            const { keyId, envelope } = callOf(ask);
            const object = env.ORG.getByName(other.id);
            const alone = object.decide({
              ask: ask as never,
              keyId,
              wantsPlan: false,
              envelope,
              report: null,
            });
            singly.push(gist(await Promise.resolve(alone).catch(() => false)));
          }
          const answers = await answersOf(one.id, asks);
          const texts = (list: readonly unknown[]) => JSON.stringify(list).replaceAll(UNLIKE, "1");
          expect(texts(answers.map(gist))).toBe(texts(singly));
        }
        expect(await one.reserved()).toBe(await other.reserved());
      },
    ),
    { numRuns: 12 },
  );
});

test("exactly what fits is admitted, and repeats of a request are one reservation", async () => {
  const org = await budgeted("10");
  const asks = Array.from({ length: 64 }, (_, at) => usd("1", { request_id: `req_${at >> 1}` }));
  const answers = await answersOf(org.id, asks);
  const allowed = answers.filter((answer) => typeof answer === "string");
  expect(allowed).toHaveLength(20);
  expect(new Set(allowed.map((text) => JSON.parse(text).reservation.id)).size).toBe(10);
  expect(answers.slice(20).map((answer) => (answer as DecisionReply).refusal?.code)).toEqual(
    Array.from({ length: 44 }, () => "budget_exceeded"),
  );
  expect(await org.reserved()).toBe("10.00");
});

test.for([
  ["fails is undone alone", () => new Error("planted"), false],
  [
    "needs what the object must fetch is undone, to be asked alone",
    () => new NeedsFetch("it", fetched),
    null,
  ],
] as const)("one that %s, after others and before others", async ([, failure, told]) => {
  const org = await budgeted("3");
  const asks = [usd("1"), usd("0.5", { request_id: "trap" }), usd("1"), usd("1"), usd("1")];
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
    const transact = storage.transactionSync.bind(storage);
    let entered = 0;
    const failing = <T>(run: () => T): T => {
      entered += 1;
      // The whole call is the first, so its second ask is the third.
      const isTrap = entered === 3;
      return transact(() => {
        const done = run();
        if (isTrap) throw failure();
        return done;
      });
    };
    Object.defineProperty(storage, "transactionSync", { value: failing, configurable: true });
  });
  const answers = await answersOf(org.id, asks);
  expect(answers.map((answer) => (typeof answer === "string" ? "allow" : answer))).toEqual([
    "allow",
    told,
    "allow",
    "allow",
    expect.objectContaining({ refusal: expect.objectContaining({ code: "budget_exceeded" }) }),
  ]);
  expect(await org.reserved()).toBe("3.00");
  // Nothing of it is remembered.
  const [again] = await answersOf(org.id, [usd("0.5", { request_id: "trap" })]);
  expect((again as DecisionReply).refusal?.code).toBe("budget_exceeded");
});

test("one whose price the object must ask for is not begun", async () => {
  const org = await budgeted("10");
  const unheard = { model: "acme/unheard", estimate: { input_tokens: 1 } };
  const [first, second, third] = await answersOf(org.id, [usd("1"), unheard, usd("1")]);
  expect([typeof first, second, typeof third]).toEqual(["string", null, "string"]);
  expect(await org.reserved()).toBe("2.00");
});

test("they are one row of the log", async () => {
  const org = await budgeted("100");
  await answersOf(org.id, [usd("1", { hold_seconds: 600 })]);
  const written: string[] = [];
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    const noted = (...given: Parameters<typeof exec>) => {
      if (/^\s*(INSERT|UPDATE|DELETE)/.test(given[0])) written.push(given[0]);
      return exec(...given);
    };
    Object.defineProperty(sql, "exec", { value: noted });
  });
  const answers = await answersOf(
    org.id,
    Array.from({ length: 20 }, () => usd("1", { hold_seconds: 600 })),
  );
  expect(answers.every((answer) => typeof answer === "string")).toBe(true);
  expect(written).toEqual([expect.stringContaining("INTO journal")]);
});

test("their refusals are kept, each once", async () => {
  const org = await budgeted("1");
  await answersOf(org.id, [usd("2"), usd("1"), usd("3")]);
  const kept = await org.send("GET", "refusals");
  expect(kept.body.data).toHaveLength(2);
});

test("each is checked by its own key, secret, role and address", async () => {
  const org = await budgeted("10");
  const keys = `/v1/orgs/${org.id}/keys`;
  const mint = async (role: string) =>
    (await call("POST", keys, { key: org.key, body: { name: role, role } })).body.id as string;
  const [one, revoked, viewer] = [await mint("developer"), await mint("developer"), await mint("viewer")];
  expect((await call("DELETE", `${keys}/${revoked}`, { key: org.key })).status).toBe(204);
  const needed = { role: "developer", scopes: ["decisions:evaluate"] } as const;
  const by = (id: string, digest: string | null = null) => {
    const actor = { kind: "key", id, role: "developer", onBehalfOf: null, address: null };
    const credential = { ...needed, digest };
    const envelope = { actor, credential, trace: id, idempotency: null, ifMatch: null };
    return { ask: usd("1"), keyId: id, wantsPlan: false, envelope } as unknown as PlainCall;
  };
  const asked = [by(one), by(revoked), by(viewer), by("key_unknown"), by(one, "another"), by(one)];
  const answers = (await together(org.id, asked))?.answers ?? [];
  const codes = answers.map((answer) => (answer as DecisionReply).refusal?.code ?? typeof answer);
  expect(codes).toEqual(["string", "gone", "forbidden", "unauthorized", "unauthorized", "string"]);
  expect(await org.reserved()).toBe("2.00");
});

test("an object without an org begins none of them", async () => {
  expect(await together(`org_${"1".repeat(26)}`, [callOf(usd("1"))])).toBeNull();
});

test("an org that is being moved begins none of them, so that none is left behind", async () => {
  const org = await budgeted("10");
  const object = env.ORG.getByName(org.id);
  const opened = await object.beginMove("us", OPERATOR);
  if (!("kind" in opened) || opened.kind !== "opened") throw new Error("it does not move");
  const copied = { archiveId: opened.archiveId, isArchiveCopied: false };
  expect(await object.freezeMove("us", copied, OPERATOR)).toMatchObject({ kind: "frozen" });
  expect(await together(org.id, [callOf(usd("1"))])).toBeNull();
  expect(await org.reserved()).toBe("0.00");
});

describe("an object that is killed anywhere while it decides", () => {
  test("has stored all of them or none", async () => {
    const org = await budgeted("1000");
    let held = 0;
    const places: string[] = [];
    for (let place = 0; place < 50; place += 1) {
      const asks = ["a", "b", "c"].map((name) => usd("1", { request_id: `${name}${place}` }));
      const killed = await killedInCall(org.id, place, () => answersOf(org.id, asks).catch(() => undefined));
      const before = Number(await org.reserved());
      expect([held, held + 3]).toContain(before);
      await answersOf(org.id, asks);
      held += 3;
      expect(Number(await org.reserved())).toBe(held);
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(expect.arrayContaining(["before INSERT OR REPLACE INTO journal"]));
  });
});
