import { expect, test } from "vitest";
import { readBatch, type RefusalBatch } from "../../src/domain/refusal/batch.ts";
import type { RefusalNote } from "../../src/domain/refusal/note.ts";
import { RefusalOutbox, WaitingTotal } from "../../src/gate/report/refusal-outbox.ts";
import { aNote } from "../support/refusals.ts";

function sent(outbox: RefusalOutbox): RefusalBatch {
  const numbered = outbox.batch();
  if (numbered === null) throw new Error("nothing to report");
  return readBatch(numbered.batch);
}

function fill(outbox: RefusalOutbox, count: number, more: (n: number) => Partial<RefusalNote> = () => ({})) {
  for (let n = 0; n < count; n += 1) outbox.note(aNote({ nanos: "5", ...more(n) }), 0);
}

function countOf({ notes, more }: RefusalBatch): number {
  return notes.length + more.reduce((sum, { count }) => sum + count, 0);
}

test("a report is read back as it was noted", () => {
  const outbox = new RefusalOutbox(new WaitingTotal());
  const notes = [
    aNote({ customerId: "c", userId: "u", trace: "t1" }),
    aNote({ nanos: null, model: null, keyId: null, decided: "object" }),
    aNote({ departmentId: "d", deploymentId: "p", workflowId: "w" }),
  ];
  for (const note of notes) outbox.note(note, 0);
  expect(sent(outbox)).toEqual({ notes, more: [] });
});

test("above the bound, refusals are counted exactly and not kept one by one", () => {
  const outbox = new RefusalOutbox(new WaitingTotal());
  fill(outbox, 50_000, (n) => ({ customerId: `c${n % 7}` }));
  const batch = sent(outbox);
  expect(batch.notes.length).toBeLessThanOrEqual(2000);
  expect(countOf(batch)).toBe(50_000);
  const nanos = batch.notes.length * 5 + batch.more.reduce((sum, one) => sum + Number(one.nanos), 0);
  expect(nanos).toBe(250_000);
  expect(new Set(batch.more.map(({ customerId }) => customerId)).size).toBe(7);
});

test("what waits is bounded for any number of customers, and counts by code and limit stay exact", () => {
  const outbox = new RefusalOutbox(new WaitingTotal());
  fill(outbox, 30_000, (n) => ({ customerId: `c${n}`.padEnd(128, "x"), limit: `l${n % 3}` }));
  const batch = sent(outbox);
  expect(JSON.stringify(batch.notes).length).toBeLessThan(2_000_000);
  expect(batch.more.length).toBeLessThanOrEqual(503);
  for (const limit of ["l0", "l1", "l2"]) {
    const own = {
      notes: batch.notes.filter((one) => one.limit === limit),
      more: batch.more.filter((one) => one.limit === limit),
    };
    expect(countOf(own)).toBe(10_000);
  }
});

test("all orgs of a host share one bound, which a delivered report frees", () => {
  const total = new WaitingTotal();
  const outboxes = Array.from({ length: 30 }, () => new RefusalOutbox(total));
  for (const outbox of outboxes) fill(outbox, 1500);
  expect(total.notes).toBe(20_000);
  const batches = outboxes.map(sent);
  expect(batches.reduce((sum, batch) => sum + countOf(batch), 0)).toBe(45_000);
  for (const outbox of outboxes) outbox.acknowledged(1);
  expect(total.notes).toBe(0);
});

test("a batch is sent again with its number until the object has it, and later refusals wait", () => {
  const outbox = new RefusalOutbox(new WaitingTotal());
  expect([outbox.isEmpty, outbox.isDue(0), outbox.batch()]).toEqual([true, false, null]);
  outbox.note(aNote({ trace: "first" }), 100);
  expect([outbox.isEmpty, outbox.isDue(1099), outbox.isDue(1100)]).toEqual([false, false, true]);
  const batch = outbox.batch();
  outbox.note(aNote({ trace: "second" }), 200);
  expect(outbox.batch()).toBe(batch);
  outbox.acknowledged(0);
  expect(outbox.batch()).toBe(batch);
  outbox.acknowledged(1);
  expect(sent(outbox).notes.map(({ trace }) => trace)).toEqual(["second"]);
  expect(outbox.batch()?.number).toBe(2);
  outbox.acknowledged(2);
  expect(outbox.isEmpty).toBe(true);
});

test("half of the bound is reported at once, unless a report is in transit", () => {
  const outbox = new RefusalOutbox(new WaitingTotal());
  fill(outbox, 999);
  expect(outbox.isPressing).toBe(false);
  fill(outbox, 1);
  expect(outbox.isPressing).toBe(true);
  outbox.batch();
  fill(outbox, 1500);
  expect(outbox.isPressing).toBe(false);
  outbox.acknowledged(1);
  expect(outbox.isPressing).toBe(true);
});
