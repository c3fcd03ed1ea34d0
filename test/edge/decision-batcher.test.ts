import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LINE } from "../../src/edge/decision/decision-batcher.ts";
import { ObjectUnreachable } from "../../src/edge/object/unreachable.ts";
import type { DecisionReply } from "../../src/gate/decision/object-verdict.ts";
import { anAsk, Isolate, named, type Sent, settled, textsOf } from "../support/ask-line.ts";

/** Which asks share a call to the object, and what becomes of each when something fails. */

test("an ask goes at once if no call is under way, others gather for a turn, and then until a call ends", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 4));
  expect(isolate.calls.map(({ names }) => names)).toEqual([["a0"]]);
  await isolate.turn();
  expect(isolate.calls.map(({ names }) => names)).toEqual([["a0"], named(1, 4)]);
  asked.push(...isolate.asks(named(4, 7)));
  await isolate.turn();
  expect(isolate.calls).toHaveLength(2);
  await isolate.calls[0]?.answer();
  expect(isolate.calls.map(({ names }) => names)).toEqual([["a0"], named(1, 4), named(4, 7)]);
  await isolate.calls[2]?.answer();
  await isolate.calls[1]?.answer();
  expect(await textsOf(asked)).toEqual(named(0, 7));
  const [first] = await Promise.all(asked);
  expect(first).toMatchObject({ orgNow: 7, version: "v", refusal: null, rates: [], leases: null });
  void isolate.ask("later");
  expect(isolate.calls.at(-1)?.names).toEqual(["later"]);
});

test("after a call that asks shared they gather again, and after a lone one they do not", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 3));
  await isolate.turn();
  asked.push(isolate.ask("a3"));
  isolate.calls[1]?.resolve();
  await settled();
  asked.push(isolate.ask("a4"));
  expect(isolate.calls).toHaveLength(2);
  await isolate.turn();
  expect(isolate.calls.at(-1)?.names).toEqual(named(3, 5));
  asked.push(isolate.ask("a5"));
  isolate.calls[0]?.resolve();
  await settled();
  expect(isolate.calls.at(-1)?.names).toEqual(["a5"]);
  for (const call of isolate.calls.slice(2)) await call.answer();
  expect(await textsOf(asked)).toEqual(named(0, 6));
});

test("who gathers for too long sends nothing: the next request that asks takes over", async () => {
  const isolate = new Isolate();
  const asked = isolate.asks(named(0, 3));
  isolate.now += LINE.slowMs;
  asked.push(isolate.ask("a3"));
  expect(isolate.calls.at(-1)).toMatchObject({ names: named(1, 4), by: "a3" });
  asked.push(isolate.ask("a4"));
  await isolate.turn();
  expect(isolate.calls.slice(2)).toMatchObject([{ names: ["a4"], by: "a4" }]);
  for (const call of isolate.calls) await call.answer();
  expect(await textsOf(asked)).toEqual(named(0, 5));
});

test("a call takes no more asks than it may", async () => {
  const isolate = new Isolate();
  const asked = await isolate.busy();
  asked.push(...isolate.asks(named(2, 2 + LINE.mostAsks + 3)));
  for (let call = 0; call < isolate.calls.length; call += 1) await isolate.calls[call]?.answer();
  expect(isolate.calls.map(({ names }) => names.length)).toEqual([1, 1, LINE.mostAsks, 3]);
  expect(await textsOf(asked)).toEqual(named(0, 2 + LINE.mostAsks + 3));
});

test("a call takes no more characters than it may, but always one ask", async () => {
  const isolate = new Isolate();
  void (await isolate.busy());
  const half = LINE.mostCharacters / 2;
  for (const [name, padding] of [
    ["a2", half - 1000],
    ["a3", half - 1000],
    ["a4", 10],
    ["a5", LINE.mostCharacters + 1],
    ["a6", 10],
  ] as const) {
    void isolate.ask(name, padding);
  }
  for (let call = 0; call < isolate.calls.length; call += 1) await isolate.calls[call]?.answer();
  expect(isolate.calls.slice(2).map(({ names }) => names)).toEqual([["a2", "a3", "a4"], ["a5"], ["a6"]]);
});

test.for([
  ["asks", LINE.mostWaiting, 0],
  ["characters", 8, LINE.mostWaitingCharacters / 8 - 1000],
] as const)("more %s than may wait are refused, and those before are answered", async ([, most, padding]) => {
  const isolate = new Isolate();
  const asked = await isolate.busy();
  for (const name of named(2, 2 + most)) asked.push(isolate.ask(name, padding));
  await expect(isolate.ask("more", padding * 2)).rejects.toThrow("too many decisions wait");
  for (let call = 0; call < isolate.calls.length; call += 1) await isolate.calls[call]?.answer();
  expect(await textsOf(asked)).toEqual(named(0, 2 + most));
  const sent = isolate.calls.length;
  // What was sent no longer waits.
  const again = ["b0", "b1", "b2", "b3"].map((name) => isolate.ask(name, padding));
  for (let call = sent; call < isolate.calls.length; call += 1) await isolate.calls[call]?.answer();
  expect(await textsOf(again)).toEqual(["b0", "b1", "b2", "b3"]);
});

test("an ask that fails or must be asked alone changes nothing for those beside it", async () => {
  const isolate = new Isolate();
  void (await isolate.busy());
  const [two, three, four, five, six] = isolate.asks(named(2, 7));
  await isolate.calls[0]?.answer();
  const reply = {
    refusal: null,
    text: "whole",
    rates: [],
    decisionPlan: null,
    orgNow: 9,
    version: "w",
    leases: "l",
  };
  await isolate.calls[2]?.answer(["a2", false, null, reply]);
  expect((await two)?.text).toBe("a2");
  await expect(three).rejects.toThrow(ObjectUnreachable);
  expect(await four).toBeNull();
  expect(await five).toEqual(reply);
  // An answer that is missing is none.
  await expect(six).rejects.toThrow(ObjectUnreachable);
});

test("an object that begins none of them is asked for each alone", async () => {
  const isolate = new Isolate();
  const asked = isolate.line.ask(anAsk("a"), {
    now: () => 0,
    waitUntil: () => undefined,
    wait: () => new Promise(() => undefined),
    send: () => Promise.resolve(null),
  });
  expect(await asked).toBeNull();
});

test("a call that breaks fails its asks, and no others", async () => {
  const isolate = new Isolate();
  const asked = [...(await isolate.busy()), ...isolate.asks(named(2, 5))];
  await isolate.calls[0]?.fail(new Error("broken off"));
  await expect(asked[0]).rejects.toThrow("broken off");
  await isolate.calls[2]?.fail(new Error("broken off again"));
  const rest = await Promise.allSettled(asked.slice(2));
  expect(rest.every(({ status }) => status === "rejected")).toBe(true);
  await isolate.calls[1]?.answer();
  expect((await asked[1])?.text).toBe("a1");
});

test("an ask whose caller gave up before it was sent is not sent", async () => {
  const isolate = new Isolate();
  const last = `a${2 + 2 * LINE.mostAsks}`;
  const waiting = [...named(2, 2 + 2 * LINE.mostAsks), last, "after"];
  const asked = [...(await isolate.busy()), ...isolate.asks(waiting)];
  // Too many wait before it: its own request sends those first.
  await isolate.timeOut(last, LINE.slowMs);
  expect(isolate.calls.at(-1)).toMatchObject({ names: named(2, 2 + LINE.mostAsks), by: last });
  await isolate.timeOut(last, 5000);
  await expect(asked.at(-2)).rejects.toThrow("no answer in time");
  for (let call = 0; call < isolate.calls.length; call += 1) await isolate.calls[call]?.answer();
  expect(isolate.calls.at(-1)?.names).toEqual(["after"]);
  expect(await textsOf(asked.toSpliced(-2, 1))).toEqual([...named(0, 2 + 2 * LINE.mostAsks), "after"]);
});

test("an ask that waits for long is sent by its own request, with what waits beside it", async () => {
  const isolate = new Isolate();
  const asked = [...(await isolate.busy()), ...isolate.asks(named(2, 5))];
  await isolate.timeOut("a3", LINE.slowMs);
  expect(isolate.calls.at(-1)).toMatchObject({ names: ["a2", "a3", "a4"], by: "a3" });
  // Those that it took along are under way.
  await isolate.timeOut("a4", LINE.slowMs);
  expect(isolate.calls).toHaveLength(3);
  for (const call of isolate.calls) await call.answer();
  expect(await textsOf(asked)).toEqual(named(0, 5));
});

test("a request sends so often for others, then the next that asks takes over", async () => {
  const isolate = new Isolate();
  // This one is under way all the time.
  void isolate.ask("first");
  const ended: Promise<DecisionReply | null>[] = [isolate.ask("carrier")];
  await isolate.turn();
  for (let round = 1; round < LINE.relayCalls; round += 1) {
    ended.push(isolate.ask(`r${round}`));
    await isolate.calls.at(-1)?.answer();
    expect(isolate.calls.at(-1)).toMatchObject({ names: [`r${round}`], by: "carrier" });
  }
  ended.push(isolate.ask("next"));
  await isolate.turn();
  expect(isolate.calls.at(-1)).toMatchObject({ names: ["next"], by: "next" });
  const own = isolate.calls.length;
  ended.push(isolate.ask("waits"));
  await isolate.calls.at(-2)?.answer();
  expect(isolate.calls).toHaveLength(own);
  await isolate.calls.at(-1)?.answer();
  expect(isolate.calls.at(-1)).toMatchObject({ names: ["waits"], by: "next" });
  await isolate.calls.at(-1)?.answer();
  expect(await Promise.all(ended)).toHaveLength(LINE.relayCalls + 2);
});

test("calls that take long hold up no other", async () => {
  const isolate = new Isolate();
  const asked = [...(await isolate.busy()), ...isolate.asks(named(2, 4))];
  isolate.now += LINE.slowMs;
  asked.push(isolate.ask("a4"));
  expect(isolate.calls.at(-1)).toMatchObject({ names: ["a2", "a3", "a4"], by: "a4" });
  for (const call of isolate.calls) await call.answer();
  expect(await textsOf(asked)).toEqual(named(0, 5));
});

test("who sent a moment ago is not slow, however long it has sent for others", async () => {
  const isolate = new Isolate();
  const asked = [...(await isolate.busy()), isolate.ask("a2")];
  isolate.now += LINE.slowMs - 1;
  await isolate.calls[0]?.answer();
  isolate.now += 1;
  asked.push(isolate.ask("a3"));
  expect(isolate.calls.map(({ names }) => names)).toEqual([["a0"], ["a1"], ["a2"]]);
  await isolate.turn();
  for (const call of isolate.calls) await call.answer();
  expect(await textsOf(asked)).toEqual(named(0, 4));
});

test("every ask gets its own answer, whatever the order in which calls end", async () => {
  const sizes = fc.record({
    asks: fc.integer({ min: 0, max: 80 }),
    turns: fc.boolean(),
    ends: fc.nat(),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sizes, { maxLength: 12 }), async (rounds) => {
      const isolate = new Isolate();
      const asked: { readonly name: string; readonly reply: Promise<DecisionReply | null> }[] = [];
      const open = new Set<Sent>();
      let seen = 0;
      const failed = new Set<string>();
      const end = async (pick: number, fails: boolean) => {
        for (; seen < isolate.calls.length; seen += 1) open.add(isolate.calls[seen] as Sent);
        const call = [...open][pick % Math.max(1, open.size)];
        if (call === undefined) return;
        open.delete(call);
        if (fails) call.names.forEach((name) => failed.add(name));
        await (fails ? call.fail(new Error("broken off")) : call.answer());
      };
      for (const { asks, turns, ends, fails } of rounds) {
        for (const name of named(asked.length, asked.length + asks)) {
          asked.push({ name, reply: isolate.ask(name) });
        }
        if (turns) await isolate.turn();
        await end(ends, fails);
        expect(isolate.calls.length - seen + open.size).toBeLessThanOrEqual(LINE.mostCalls);
      }
      await isolate.turn();
      while (seen < isolate.calls.length || open.size > 0) await end(0, false);
      const replies = await Promise.allSettled(asked.map(({ reply }) => reply));
      for (const [at, reply] of replies.entries()) {
        const name = asked[at]?.name ?? "";
        if (failed.has(name)) expect(reply.status).toBe("rejected");
        else expect(reply).toMatchObject({ status: "fulfilled", value: { text: name } });
      }
      expect(isolate.calls.flatMap(({ names }) => names)).toHaveLength(asked.length);
    }),
    { numRuns: 60 },
  );
});
