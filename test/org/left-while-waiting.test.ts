import { runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { refuse } from "../../src/contract/refusal.ts";
import { PlatformBook } from "../../src/org/models/platform-book.ts";
import type { OrgObject } from "../../src/org/object.ts";
import { REPORTING } from "../../src/org/unreported-holds.ts";
import { OPERATOR } from "../support/backup.ts";
import { type Budgeted, CENT, newBudgeted } from "../support/budgeted.ts";
import { aRun } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { env } from "../support/worker.ts";

/** Calls that wait for something while their org leaves for another region. Each is told to ask there. */

const MOVED = { movedTo: "us" };
const ASK = { estimate: { cost_usd: "0.01" } };
const ASK_OF_MODEL = { model: "nobody/knows-it", estimate: { input_tokens: 1, output_tokens: 1 } };
const UNPRICED = { model: "nobody/knows-it", cost_usd: undefined };
const LEASES = { version: 1, holder: "gate-that-waits-01", attempt: 1, batches: [], wants: [] };

type Key = { id: string; digest: string };
type Waiting = (object: OrgObject, key: Key, org: Budgeted) => unknown;

async function movable() {
  const org = await newBudgeted();
  const [key] = await rowsOf<Key>(org.id, "SELECT id, digest FROM keys");
  if (key === undefined) throw new Error("the org has no key");
  return { org, key, object: env.ORG.getByName(org.id) };
}

async function freeze(object: OrgObject): Promise<string> {
  const opened = object.beginMove("us", OPERATOR);
  if (!("kind" in opened) || opened.kind !== "opened") throw new Error("it does not move");
  const copied = { archiveId: opened.archiveId, isArchiveCopied: false };
  const made = await object.freezeMove("us", copied, OPERATOR);
  if (!("kind" in made) || made.kind !== "frozen") throw new Error("it is not frozen");
  return made.move.id;
}

async function leave(object: OrgObject, moveId: string): Promise<void> {
  expect(object.commitMove(moveId, "attempt")).toBe(true);
  expect(await object.endMove(moveId, "left")).toBe(true);
}

const execute = (object: OrgObject, name: Parameters<OrgObject["execute"]>[0], input: unknown) =>
  object.execute(name, input, OPERATOR);

const introduction = (ask: object) => ({
  ask: ask as typeof ASK,
  region: "local",
  address: "203.0.113.7",
  trace: "test",
  parent: null,
});

test.each<[string, Waiting]>([
  ["the decision of a key", (object, key) => object.introduce(key.id, key.digest, introduction(ASK))],
  [
    "the decision of a key about a model without a known price",
    (object, key) => object.introduce(key.id, key.digest, introduction(ASK_OF_MODEL)),
  ],
  [
    "a decision",
    (object, key) =>
      object.decide({ ask: ASK, keyId: key.id, wantsPlan: false, envelope: OPERATOR, report: null }),
  ],
  [
    "a decision about a model without a known price",
    (object, key) =>
      object.decide({ ask: ASK_OF_MODEL, keyId: key.id, wantsPlan: false, envelope: OPERATOR, report: null }),
  ],
  ["a run", (object) => execute(object, "recordRun", aRun({}))],
  [
    "another region's call",
    async (object, key) => {
      const { epoch } = object.takePass({ nonce: "first", epoch: "" });
      const asked = [key.id, key.digest, introduction(ASK)];
      return (await object.fromRegion({ nonce: "second", epoch }, "introduce", asked)).result;
    },
  ],
])("%s that waits for the end of a move is told where the org went", async (_name, call) => {
  const { org, key, object } = await movable();
  await runInDurableObject(object, async (instance: OrgObject) => {
    const id = await freeze(instance);
    const answer = call(instance, key, org);
    await leave(instance, id);
    expect(await answer).toEqual(MOVED);
  });
});

test("a gate's question that waits for a price is told where the org went", async () => {
  const { key, object } = await movable();
  const isLearned = holdPrices();
  await runInDurableObject(object, async (instance: OrgObject) => {
    const asked = { ...LEASES, ask: ASK_OF_MODEL } as unknown as Parameters<OrgObject["exchangeLeases"]>[0];
    const answer = instance.exchangeLeases(asked, { ...OPERATOR, actor: { ...OPERATOR.actor, id: key.id } });
    await leave(instance, await freeze(instance));
    isLearned.resolve();
    expect(await answer).toEqual(MOVED);
  });
});

/** The price book answers when told to. What it reads cannot be stored then, as in an object without tables. */
function holdPrices(): PromiseWithResolvers<void> {
  const isLearned = Promise.withResolvers<void>();
  const spy = vi.spyOn(PlatformBook.prototype, "load");
  spy.mockImplementationOnce(async () => {
    await isLearned.promise;
    return refuse("service_unavailable");
  });
  onTestFinished(() => spy.mockRestore());
  return isLearned;
}

test.each<[string, Waiting]>([
  [
    "a decision",
    (object, key) =>
      object.decide({ ask: ASK_OF_MODEL, keyId: key.id, wantsPlan: false, envelope: OPERATOR, report: null }),
  ],
  ["a run", (object) => execute(object, "recordRun", aRun(UNPRICED))],
  ["a query", (object) => object.ask("getModel", { model: "nobody/knows-it" }, OPERATOR)],
])("%s that waits for a price while its org leaves is told where it went", async (_name, call) => {
  const { org, key, object } = await movable();
  const isLearned = holdPrices();
  await runInDurableObject(object, async (instance: OrgObject) => {
    const answer = call(instance, key, org);
    await leave(instance, await freeze(instance));
    isLearned.resolve();
    expect(await answer).toEqual(MOVED);
  });
});

test("a decision that learned its price before it had to wait for a move is told where the org went", async () => {
  const { key, object } = await movable();
  const spy = vi.spyOn(PlatformBook.prototype, "load");
  spy.mockImplementationOnce(async () => null);
  onTestFinished(() => spy.mockRestore());
  await runInDurableObject(object, async (instance: OrgObject) => {
    const id = await freeze(instance);
    const answer = instance.decide({
      ask: ASK_OF_MODEL,
      keyId: key.id,
      wantsPlan: false,
      envelope: OPERATOR,
      report: null,
    });
    // It has its price now, and finds the org frozen.
    await scheduler.wait(0);
    await leave(instance, id);
    expect(await answer).toEqual(MOVED);
  });
});

beforeEach(() => {
  const { patienceMs } = REPORTING;
  Object.assign(REPORTING, { patienceMs: 60_000 });
  onTestFinished(() => void Object.assign(REPORTING, { patienceMs }));
});

test.each<[string, (object: OrgObject, id: string) => unknown]>([
  ["a run", (object, reservation_id) => execute(object, "recordRun", aRun({ reservation_id }))],
  [
    "a run of a model without a known price",
    (object, reservation_id) => execute(object, "recordRun", aRun({ reservation_id, ...UNPRICED })),
  ],
  ["an explanation", (object, reservation_id) => execute(object, "explain", { reservation_id })],
])("%s that waits for the report of its reservation is told where the org went", async (_name, call) => {
  const { org, object } = await movable();
  const isolate = await org.isolate();
  const id = isolate.hold(CENT, Date.now()) ?? "";
  await runInDurableObject(object, async (instance: OrgObject) => {
    const answer = call(instance, id);
    await leave(instance, await freeze(instance));
    expect(await answer).toEqual(MOVED);
  });
});

test("a second move that waits for slices is told where the first one took the org", async () => {
  const { object } = await movable();
  await runInDurableObject(object, async (instance: OrgObject) => {
    const first = await freeze(instance);
    const second = instance.freezeMove("ap", { archiveId: "bak", isArchiveCopied: false }, OPERATOR);
    await leave(instance, first);
    expect(await second).toEqual(MOVED);
  });
});
