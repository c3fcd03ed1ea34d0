import { runInDurableObject } from "cloudflare:test";
import { expect, onTestFinished, test, vi } from "vitest";
import { Departure } from "../../src/org/moving/departure.ts";
import { type Move, noteMove } from "../../src/org/moving/state.ts";
import { OrgObject } from "../../src/org/object.ts";
import { backup, forget, OPERATOR, sendArchive } from "../support/backup.ts";
import { FarRegion, operate } from "../support/far-region.ts";
import { call, env, newOrg, operatorKey } from "../support/worker.ts";

/** Moves that overlap with anything else. In whichever order their steps come, one region has the org. */

type OrgStub = ReturnType<typeof env.ORG.getByName>;

async function openedArchive(object: Pick<OrgStub, "beginMove">, to: string): Promise<string> {
  const opened = await object.beginMove(to, OPERATOR);
  if (!("kind" in opened) || opened.kind !== "opened") throw new Error("it does not move");
  return opened.archiveId;
}

async function frozen(object: OrgStub, to = "us"): Promise<Move> {
  const archiveId = await openedArchive(object, to);
  const made = await object.freezeMove(to, { archiveId, isArchiveCopied: false }, OPERATOR);
  if (!("kind" in made) || made.kind !== "frozen") throw new Error("it is not frozen");
  return made.move;
}

async function movable() {
  const org = await newOrg();
  const us = new FarRegion();
  const ap = new FarRegion();
  const object = env.ORG.getByName(org.id);
  return { org, object, us, ap, operator: operate({ us, ap }) };
}

/** The next undo sees the move as it was before the copy was sent for good. */
function seesUncommitted(move: Move): void {
  const spy = vi.spyOn(OrgObject.prototype, "moveUnderWay");
  spy.mockReturnValueOnce({ ...move, attempt: null });
  onTestFinished(() => spy.mockRestore());
}

async function underWay(object: OrgStub): Promise<Move> {
  const move = await object.moveUnderWay();
  if (move === null) throw new Error("no move is under way");
  return move;
}

test("a move that is sent for good while it is undone goes on, and the undo says that it did nothing", async () => {
  const { org, object, us, operator } = await movable();
  const undone: number[] = [];
  us.onCall = async (method, when) => {
    if (method !== "finishImport" || when !== "before") return;
    seesUncommitted(await underWay(object));
    undone.push((await operator("DELETE", org.id)).status);
  };
  const moved = await operator("POST", org.id, "us");
  expect([undone, moved.status, moved.body.moved]).toEqual([[409], 200, true]);
  expect([us.has, await object.whereabouts()]).toEqual([moved.body.archive_id, { movedTo: "us" }]);
});

test("an undo that comes after the org has gone does not say that it stayed", async () => {
  const { org, object, us, operator } = await movable();
  let move: Move | null = null;
  us.onCall = async (method) => {
    if (method === "finishImport") move = await underWay(object);
  };
  await operator("POST", org.id, "us");
  if (move === null) throw new Error("it did not move");
  seesUncommitted(move);
  // In a deployment that knows of no other region, nothing leads the call to where the org went.
  const undone = await call("DELETE", `/v1/admin/orgs/${org.id}/move`, { key: operatorKey() });
  expect([undone.status, undone.body.error.code]).toEqual([409, "conflict"]);
  expect(await object.whereabouts()).toEqual({ movedTo: "us" });
});

test("an undo that ends the attempt first wins, and the move says that it did not happen", async () => {
  const { org, object, us, operator } = await movable();
  const undone: number[] = [];
  us.onCall = async (method, when) => {
    if (method === "finishImport" && when === "before")
      undone.push((await operator("DELETE", org.id)).status);
  };
  expect((await operator("POST", org.id, "us")).status).toBe(409);
  expect([undone, us.has]).toEqual([[200], null]);
  expect(await object.moveUnderWay()).toBeNull();
  expect(await object.whereabouts()).toMatchObject({ homeRegion: "local" });
});

test("a move is not said to be done if this region has not let the org go", async () => {
  const { org, object, us, operator } = await movable();
  us.onCall = async (method, when) => {
    if (method !== "finishImport" || when !== "before") return;
    const { id, attempt } = await underWay(object);
    await object.endMove(id, "stayed", attempt);
  };
  const answer = await operator("POST", org.id, "us");
  expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
});

test("two calls that complete the same move both say that it is done", async () => {
  const { org, object, us, operator } = await movable();
  const second: [number, boolean][] = [];
  us.onCall = async (method, when) => {
    if (method !== "finishImport" || when !== "after") return;
    const { status, body } = await operator("POST", org.id, "us");
    second.push([status, body.moved]);
  };
  const first = await operator("POST", org.id, "us");
  expect([second, first.status, first.body.moved]).toEqual([[[200, true]], 200, true]);
  expect(await object.whereabouts()).toEqual({ movedTo: "us" });
});

test("a move that waits for slices does not erase one that was sent for good meanwhile", async () => {
  const { object } = await movable();
  const first = await frozen(object);
  const archiveId = await openedArchive(object, "ap");
  await runInDurableObject(object, async (instance: OrgObject) => {
    const second = instance.freezeMove("ap", { archiveId, isArchiveCopied: false }, OPERATOR);
    expect(instance.commitMove(first.id, "attempt")).toBe(true);
    expect(await second).toMatchObject({ kind: "unknown", move: { id: first.id, attempt: "attempt" } });
  });
  expect(await object.moveUnderWay()).toMatchObject({ id: first.id, toRegion: "us", attempt: "attempt" });
  expect(await object.endMove(first.id, "left")).toBe(true);
});

test("each step names what it has seen, and changes nothing otherwise", async () => {
  const { object } = await movable();
  const { id } = await frozen(object);
  expect(await object.endMove(id, "stayed", "attempt")).toBe(false);
  expect(await object.endMove(id, "left")).toBe(false);
  expect(await object.commitMove(id, "attempt")).toBe(true);
  expect(await object.commitMove(id, "another")).toBe(false);
  expect(await object.endMove(id, "stayed")).toBe(false);
  expect(await object.endMove(id, "stayed", "another")).toBe(false);
  await runInDurableObject(object, (_, { storage: { sql } }) => {
    expect(noteMove(sql, { id: "newer", toRegion: "ap", isArchiveCopied: false }, Date.now())).toBe(false);
  });
  expect(await object.moveUnderWay()).toMatchObject({ id, attempt: "attempt" });
  expect(await object.endMove(id, "stayed", "attempt")).toBe(true);
  expect(await object.endMove(id, "left")).toBe(false);
});

test("a move to a second region completes the first if that has the org, and says so", async () => {
  const { org, object, us, ap, operator } = await movable();
  us.onCall = (method, when) => {
    if (method === "finishImport" && when === "after") throw new Error("the line is cut");
  };
  expect((await operator("POST", org.id, "us")).status).toBe(503);
  const second = await operator("POST", org.id, "ap");
  expect([second.status, second.body.error.message]).toEqual([
    409,
    "An earlier call has moved the organization to region us. Send the same call again to move it on.",
  ]);
  expect([us.has !== null, ap.has, await object.whereabouts()]).toEqual([true, null, { movedTo: "us" }]);
});

test("a region that the org came to and left again still says that it had arrived", async () => {
  const org = await newOrg();
  const archive = await backup(org.id);
  await forget(org.id);
  const { body } = await sendArchive(archive);
  const object = env.ORG.getByName(org.id);
  const { id } = await frozen(object, "ap");
  await object.commitMove(id, "attempt");
  await object.endMove(id, "left");
  expect(await object.abandonImport(body.archive_id)).toBe(true);
  expect(await object.abandonImport("bak_of_another")).toBe(false);
});

const never = () => new Promise<never>(() => undefined);

test("slices stay closed while a move waits for them, also if another one is given up meanwhile", async () => {
  const { org, object } = await movable();
  await runInDurableObject(object, async (_, { storage }) => {
    noteMove(storage.sql, { id: "first", toRegion: "us", isArchiveCopied: false }, Date.now());
    const closing = Promise.withResolvers<void>();
    let opened = 0;
    const departure = new Departure(storage, {
      env,
      orgId: org.id,
      isOpened: () => true,
      view: () => expect.fail("nothing is copied"),
      closeSlices: () => closing.promise,
      openSlices: () => (opened += 1),
      settle: never,
      goOn: () => undefined,
      left: () => undefined,
    });
    const second = departure.freeze("ap", { archiveId: "bak", isArchiveCopied: false }, OPERATOR);
    expect([departure.stay("first", null), opened]).toEqual([true, 0]);
    // It cannot go on, because the org is being restored now.
    void departure.staying(never);
    closing.resolve();
    expect([await second, opened, departure.isFrozen]).toMatchObject([{ code: "conflict" }, 1, false]);
  });
});

test("an org is not restored while it moves, and does not move while it is restored", async () => {
  const { org, object } = await movable();
  const restore = async () => {
    const body = { at: new Date(Date.now() - 1).toISOString() };
    return (await call("POST", `/v1/admin/orgs/${org.id}/restore`, { key: operatorKey(), body })).status;
  };
  const { id } = await frozen(object);
  expect(await restore()).toBe(409);
  await object.commitMove(id, "attempt");
  expect(await restore()).toBe(409);
  await object.endMove(id, "stayed", "attempt");
  const archiveId = await openedArchive(object, "us");
  await runInDurableObject(object, async (instance: OrgObject) => {
    const refused = Promise.withResolvers<string>();
    instance.recovery = {
      bookmarkAt: () => refused.promise,
      restoreAtNextStart: never,
      restart: () => undefined,
    };
    const restoring = instance.restore(Date.now());
    const copied = { archiveId, isArchiveCopied: false };
    expect(await instance.freezeMove("us", copied, OPERATOR)).toMatchObject({ code: "conflict" });
    refused.reject(new Error("no history"));
    expect(await restoring).toMatchObject({ code: "service_unavailable" });
    // Nothing was restored, so it can move again.
    expect(await instance.freezeMove("us", copied, OPERATOR)).toMatchObject({ kind: "frozen" });
  });
});

test("an org is not restored to a time before it came here", async () => {
  const org = await newOrg();
  const archive = await backup(org.id);
  await forget(org.id);
  const before = new Date(Date.now() - 1).toISOString();
  expect((await sendArchive(archive)).status).toBe(201);
  const path = `/v1/admin/orgs/${org.id}/restore`;
  const { status, body } = await call("POST", path, { key: operatorKey(), body: { at: before } });
  expect([status, body.error.details.fields[0]]).toMatchObject([422, { field: "at", code: "out_of_range" }]);
  expect(body.error.details.fields[0].message).toMatch(/^must be after .*, when the organization came to/);
});
