import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { RefusalNote } from "../../src/domain/refusal/note.ts";
import { noteDeletedRefusals } from "../../src/org/span-exports/state.ts";
import { keepRefusals } from "../../src/org/refusals/commands.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { spansIn } from "../support/otlp.ts";
import { arrivedAt, hanging, receivedAt, receiver, takeNetwork } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { env } from "../support/worker.ts";

/** How an export of spans goes on after a row of refusals that it has sent in part, or that came late. */

beforeEach(takeNetwork);

async function exporting(answer: Parameters<typeof receiver>[0]) {
  const org = await newSpender();
  const url = receiver(answer, "/v1/traces");
  const set = () =>
    org.send("PUT", "exports/spans", { destination: { kind: "otlp", endpoint: new URL(url).origin } });
  expect((await set()).status).toBe(200);
  return { org, url, set };
}

function inObject(org: Spender, use: (sql: SqlStorage) => void): Promise<void> {
  return runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
    storage.transactionSync(() => use(storage.sql)),
  );
}

const noteAt = (at: number): RefusalNote => ({
  at,
  trace: crypto.randomUUID(),
  decided: "edge",
  operation: "POST /v1/edge/decision",
  status: 402,
  code: "spend_cap_exceeded",
  details: "{}",
  limit: "spend_cap",
  keyId: null,
  model: "m",
  customerId: null,
  workflowId: null,
  departmentId: null,
  deploymentId: null,
  userId: null,
  nanos: "1",
});

/** So many refusals of one moment, in one row. */
const keep = (org: Spender, at: number, count: number) =>
  inObject(org, (sql) =>
    keepRefusals(
      { sql, now: at + 1000 },
      { notes: Array.from({ length: count }, () => noteAt(at)), more: [] },
    ),
  );
const oneAtATime = (org: Spender) => inObject(org, (sql) => sql.exec("UPDATE span_exports SET most = 1"));
const sizesAt = (url: string) => receivedAt(url).map(({ body }) => spansIn(body).length);
const idsIn = (url: string, ...requests: number[]) =>
  requests.flatMap((at) => spansIn(receivedAt(url)[at]?.body ?? "").map(({ spanId }) => spanId));
const stateOf = async (org: Spender) => (await org.send("GET", "exports/spans")).body.spans;
const lateRows = (org: Spender) => rowsOf(org.id, "SELECT * FROM late_refusals");

async function deleteFirstRow(org: Spender, notes: number): Promise<void> {
  const [{ seq } = { seq: 0 }] = await rowsOf<{ seq: number }>(
    org.id,
    "SELECT MIN(seq) AS seq FROM refusal_batches",
  );
  await inObject(org, (sql) => {
    noteDeletedRefusals(sql, [{ seq, notes }]);
    sql.exec("DELETE FROM refusal_batches WHERE seq = ?", seq);
  });
}

describe("a row of refusals that was sent in part", () => {
  async function sentInPart() {
    const receives = { isUp: false };
    const { org, url } = await exporting(
      (nth) => new Response("", { status: nth === 1 || receives.isUp ? 200 : 503 }),
    );
    await oneAtATime(org);
    await keep(org, Date.now(), 3);
    await org.advance(6);
    expect(sizesAt(url).slice(0, 2)).toEqual([1, 2]);
    return { org, url, receives };
  }

  test("goes on where it was", async () => {
    const { org, url, receives } = await sentInPart();
    receives.isUp = true;
    await org.advance(600);
    expect(sizesAt(url).at(-1)).toBe(2);
    expect(new Set(idsIn(url, 0, receivedAt(url).length - 1)).size).toBe(3);
    expect(await stateOf(org)).toMatchObject({ sent: 3, dropped: 0 });
  });

  test("and is deleted counts as dropped without what was sent", async () => {
    const { org, receives } = await sentInPart();
    await deleteFirstRow(org, 3);
    receives.isUp = true;
    await org.advance(600);
    expect(await stateOf(org)).toMatchObject({ sent: 1, dropped: 2 });
  });
});

describe("a row of refusals that came late", () => {
  test("is sent whenever the refusals were, also if that was before the export", async () => {
    const { org, url } = await exporting(() => new Response(""));
    await keep(org, Date.now() - 60_000, 1);
    await org.advance(6);
    expect(sizesAt(url)).toEqual([1]);
  });

  test("and was sent in part goes on where it was", async () => {
    const receives = { isUp: false };
    const { org, url } = await exporting(
      (nth) => new Response("", { status: nth <= 2 || receives.isUp ? 200 : 503 }),
    );
    const at = Date.now();
    await keep(org, at, 1);
    await org.advance(6);
    await oneAtATime(org);
    await keep(org, at - 500, 2);
    await org.advance(6);
    expect(sizesAt(url).slice(0, 3)).toEqual([1, 1, 1]);
    receives.isUp = true;
    await org.advance(600);
    expect(sizesAt(url).at(-1)).toBe(1);
    expect(new Set(idsIn(url, 0, 1, receivedAt(url).length - 1)).size).toBe(3);
    expect([await stateOf(org), await lateRows(org)]).toMatchObject([{ sent: 3, dropped: 0 }, []]);
  });

  test("is sent once if what was on its way before it has to be sent again", async () => {
    const hung = hanging();
    const { org, url } = await exporting(async (nth) => {
      if (nth > 1) return new Response("");
      await hung.answer(1);
      return new Response("", { status: 503 });
    });
    await org.advance(2);
    const at = Date.now() + 2000;
    await keep(org, at, 1);
    const moved = org.advance(60);
    await arrivedAt(url, 1);
    await keep(org, at - 500, 1);
    hung.release();
    await moved;
    await org.advance(60);
    expect(sizesAt(url)).toEqual([1, 2]);
    expect([await stateOf(org), await lateRows(org)]).toMatchObject([{ sent: 2 }, []]);
  });

  test("and is deleted before it is sent counts as dropped, and is forgotten", async () => {
    const receives = { isUp: true };
    const { org } = await exporting(() => new Response("", { status: receives.isUp ? 200 : 503 }));
    const at = Date.now();
    await keep(org, at, 1);
    await org.advance(6);
    receives.isUp = false;
    await keep(org, at - 500, 1);
    await org.advance(6);
    await deleteFirstRow(org, 1);
    receives.isUp = true;
    await org.advance(600);
    expect([await stateOf(org), await lateRows(org)]).toMatchObject([{ sent: 1, dropped: 1 }, []]);
  });
});

test("a receiver that refuses everything loses one span at a time", async () => {
  const { org, url } = await exporting(() => new Response("", { status: 400 }));
  await org.bulk(Array.from({ length: 8 }, () => aRun()));
  await org.advance(6);
  expect(sizesAt(url).slice(0, 4)).toEqual([8, 4, 2, 1]);
  expect(await stateOf(org)).toMatchObject({ sent: 0, next_attempt_at: expect.any(String) });
});

test("an export that is changed does not wait for what the receiver has asked for", async () => {
  const { org, url, set } = await exporting(
    () => new Response("", { status: 503, headers: { "retry-after": "3600" } }),
  );
  await org.run();
  await org.advance(6);
  expect(sizesAt(url)).toEqual([1]);
  expect((await set()).status).toBe(200);
  await org.advance(1);
  expect(sizesAt(url)).toEqual([1, 1]);
});

test("an export that is changed after failures is tried as soon as a new one", async () => {
  const { org, set } = await exporting(() => new Response("", { status: 503 }));
  const attempts = () => rowsOf(org.id, "SELECT attempts FROM span_exports");
  await org.run();
  for (let time = 0; time < 3; time += 1) await org.advance(60);
  expect((await attempts())[0]?.["attempts"]).toBeGreaterThan(2);
  expect((await set()).status).toBe(200);
  await org.advance(1);
  expect(await attempts()).toEqual([{ attempts: 1 }]);
});

test("runs that are numbered anew while a request is on its way are sent", async () => {
  const hung = hanging();
  const { org, url } = await exporting((nth) => (nth === 2 ? hung.answer(1) : new Response("")));
  await org.run();
  await org.advance(6);
  await org.run();
  const moved = org.advance(6);
  await arrivedAt(url, 2);
  // As when retention has deleted every run: the next one has the first number again.
  await rowsOf(org.id, "UPDATE exports SET run_from = 1");
  hung.release();
  await moved;
  await org.advance(6);
  expect(sizesAt(url)).toEqual([1, 1, 2]);
});

test("of two changes at once, while a request is on its way, one holds and is sent everything", async () => {
  const hung = hanging();
  const { org, url } = await exporting(() => hung.answer(1));
  await org.run();
  const moved = org.advance(6);
  await arrivedAt(url, 1);
  const others = [receiver(undefined, "/v1/traces"), receiver(undefined, "/v1/traces")];
  const changed = await Promise.all(
    others.map((other) =>
      org.send("PUT", "exports/spans", { destination: { kind: "otlp", endpoint: new URL(other).origin } }),
    ),
  );
  expect(changed.map(({ status }) => status)).toEqual([200, 200]);
  hung.release();
  await moved;
  await org.advance(60);
  const { endpoint } = (await org.send("GET", "exports/spans")).body.destination;
  const isKept = (other: string) => new URL(other).origin === endpoint;
  expect(others.filter(isKept).map(sizesAt)).toEqual([[1]]);
  expect(others.filter((other) => !isKept(other)).flatMap(sizesAt)).toEqual([]);
  expect(await stateOf(org)).toMatchObject({ sent: 1, dropped: 0 });
});
