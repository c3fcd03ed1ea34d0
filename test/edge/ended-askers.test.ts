import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LINE } from "../../src/edge/decision/decision-batcher.ts";
import { Isolate, named, textsOf } from "../support/ask-line.ts";

/** Requests that the runtime ends while asks of others wait for them. */

const PATIENCE_MS = 5000;
const sentNames = ({ calls }: Isolate) => calls.flatMap(({ names }) => names);

test("asks whose carrier ends while they gather go with the call that ends next, once each", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 4));
  // The first is under way. The second gathers, and ends in that turn.
  isolate.end("a1");
  await isolate.turn();
  expect(sentNames(isolate)).toEqual(["a0"]);
  await isolate.calls[0]?.answer();
  expect(isolate.calls.at(-1)).toMatchObject({ names: named(1, 4), by: "a0" });
  await isolate.calls[1]?.answer();
  expect(await textsOf(asked.toSpliced(1, 1))).toEqual(["a0", "a2", "a3"]);
  expect(sentNames(isolate)).toEqual(named(0, 4));
});

test("asks whose carriers have all ended are sent by a request of their own, once each", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 5));
  isolate.end("a0");
  isolate.end("a1");
  await isolate.turn();
  await isolate.calls[0]?.answer();
  expect(sentNames(isolate)).toEqual(["a0"]);
  for (const name of named(2, 5)) await isolate.timeOut(name, LINE.slowMs);
  expect(isolate.calls.slice(1)).toMatchObject([{ names: named(1, 5), by: "a2" }]);
  await isolate.calls[1]?.answer();
  expect(await textsOf(asked.slice(2))).toEqual(named(2, 5));
});

test("the next request that asks takes over from those that ended", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 4));
  isolate.end("a0");
  isolate.end("a1");
  await isolate.turn();
  isolate.now += LINE.slowMs;
  asked.push(isolate.ask("a4"));
  expect(isolate.calls.slice(1)).toMatchObject([{ names: named(1, 5), by: "a4" }]);
  await isolate.calls[1]?.answer();
  expect(await textsOf(asked.slice(2))).toEqual(named(2, 5));
});

test("a carrier that comes late finds nothing of what another has sent", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 4));
  await isolate.calls[0]?.answer();
  // Its turn came only now.
  await isolate.turn();
  for (const call of isolate.calls) await call.answer();
  expect(await textsOf(asked)).toEqual(named(0, 4));
  expect(sentNames(isolate)).toEqual(named(0, 4));
});

test("asks in a call whose sender has ended fail in time, and are not sent again", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 4));
  await isolate.turn();
  expect(isolate.calls.at(-1)).toMatchObject({ names: named(1, 4), by: "a1" });
  isolate.end("a1");
  await isolate.calls[1]?.answer();
  await isolate.calls[0]?.answer();
  for (const name of named(2, 4)) await isolate.timeOut(name, LINE.slowMs);
  for (const name of named(2, 4)) await isolate.timeOut(name, PATIENCE_MS);
  for (const ask of asked.slice(2)) await expect(ask).rejects.toThrow("no answer in time");
  expect((await asked[0])?.text).toBe("a0");
  expect(sentNames(isolate)).toEqual(named(0, 4));
});

test("whichever requests end, and when, each other gets its own answer or fails in time, and none is sent twice", async () => {
  const step = fc.oneof(
    fc.record({ asks: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ ends: fc.oneof(fc.nat(3), fc.nat()) }),
    fc.record({ answers: fc.nat() }),
    fc.record({ slow: fc.nat() }),
    fc.constant({ turn: true }),
  );
  let answered = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const isolate = new Isolate();
      const asked: ReturnType<Isolate["ask"]>[] = [];
      const ended = new Set<string>();
      const one = (pick: number) => `a${pick % Math.max(1, asked.length)}`;
      for (const next of steps) {
        if ("asks" in next) asked.push(...isolate.asks(named(asked.length, asked.length + next.asks)));
        else if ("ends" in next) {
          ended.add(one(next.ends));
          isolate.end(one(next.ends));
        } else if ("answers" in next) {
          await isolate.calls[next.answers % Math.max(1, isolate.calls.length)]?.answer();
        } else if ("slow" in next) await isolate.timeOut(one(next.slow), LINE.slowMs);
        else await isolate.turn();
      }
      await isolate.turn();
      // Those that are left wait as long as they do.
      for (const at of asked.keys()) await isolate.timeOut(`a${at}`, LINE.slowMs);
      for (let call = 0; call < isolate.calls.length; call += 1) await isolate.calls[call]?.answer();
      for (const at of asked.keys()) await isolate.timeOut(`a${at}`, PATIENCE_MS);
      const senders = new Map(isolate.calls.flatMap(({ names, by }) => names.map((name) => [name, by])));
      for (const [at, ask] of asked.entries()) {
        const name = `a${at}`;
        if (ended.has(name)) continue;
        const reply = await Promise.allSettled([ask]);
        if (!ended.has(senders.get(name) ?? "")) {
          expect(reply).toMatchObject([{ status: "fulfilled", value: { text: name } }]);
          answered += 1;
        } else if (reply[0].status === "rejected") failed += 1;
        else expect(reply[0].value?.text).toBe(name);
      }
      const sent = sentNames(isolate);
      expect(new Set(sent).size).toBe(sent.length);
    }),
    { numRuns: 150 },
  );
  expect(answered).toBeGreaterThan(0);
  expect(failed).toBeGreaterThan(0);
});
