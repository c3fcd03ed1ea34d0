import { expect, onTestFinished, test, vi } from "vitest";
import { Refused, Unreachable } from "../../src/client/gate/index.ts";
import { gateTo, leaseReply, refusal } from "./lease-replies.ts";

const ASK = { estimate: { cost_usd: "0.01" } };
const FACTS = {
  checks: "all",
  countedBy: new Set(["tags", "user_id"]),
  scansInput: true,
  sendsSpans: false,
  fallbacks: null,
};
const told = (more: object = {}) =>
  leaseReply({ checks: "all", counted_by: ["tags", "user_id"], scans_input: true, ...more });

function fakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

test("what the service said is good for as long as it said, and is then asked for again", async () => {
  fakeTimers();
  const { gate, exchanges } = gateTo(() => told());
  expect(await gate.facts()).toEqual(FACTS);
  await vi.advanceTimersByTimeAsync(1990);
  expect(await gate.facts()).toEqual(FACTS);
  expect(exchanges()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(await gate.facts()).toEqual(FACTS);
  expect(exchanges()).toHaveLength(2);
});

test("the exchange for it asks for no decision and no ids", async () => {
  const { gate, exchanges } = gateTo(() => told());
  await gate.facts();
  expect(exchanges()).toEqual([{ version: 1, holder: expect.any(String), ids: 0 }]);
});

test("what came with a decision needs no exchange of its own", async () => {
  const { gate, exchanges } = gateTo(() => told());
  await gate.decide(ASK).catch(() => undefined);
  expect(await gate.facts()).toEqual(FACTS);
  expect(exchanges()).toHaveLength(1);
});

test("all who wait at the same time share one exchange, and its failure", async () => {
  const reply = Promise.withResolvers<Response>();
  const { gate, exchanges } = gateTo(() => reply.promise);
  const waiting = [gate.facts(), gate.facts(), gate.facts()];
  await expect.poll(() => exchanges().length).toBe(1);
  reply.resolve(told());
  expect(await Promise.all(waiting)).toEqual([FACTS, FACTS, FACTS]);
  expect(exchanges()).toHaveLength(1);

  const stranger = gateTo(() => refusal("unauthorized", 401));
  const refused = await Promise.allSettled([stranger.gate.facts(), stranger.gate.facts()]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(stranger.exchanges()).toHaveLength(1);
});

test("whoever waits for an exchange whose request has ended asks for itself", async () => {
  fakeTimers();
  const replies = [new Promise<Response>(() => undefined), told()];
  const { gate, exchanges } = gateTo(() => replies.shift() ?? told(), { timeoutMs: 600_000 });
  void gate.facts();
  const second = gate.facts();
  await vi.advanceTimersByTimeAsync(1000);
  expect(await second).toEqual(FACTS);
  expect(exchanges()).toHaveLength(2);
  expect(await gate.facts()).toEqual(FACTS);
});

test("an answer that was long on its way does not replace a later one", async () => {
  fakeTimers();
  const late = Promise.withResolvers<Response>();
  const replies = [late.promise, told()];
  const { gate } = gateTo(() => replies.shift() ?? told());
  const first = gate.decide(ASK).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1500);
  expect(await gate.facts()).toEqual(FACTS);
  late.resolve(leaseReply());
  await first;
  expect(await gate.facts()).toEqual(FACTS);
});

test.each([
  ["unauthorized", 401],
  ["key_expired", 401],
  ["missing_scope", 403],
  ["gone", 410],
])(
  "a key that is refused with %s is not proven, and what was known of its org is not used",
  async (code, status) => {
    let isRefused = false;
    const { gate } = gateTo(() => (isRefused ? refusal(code, status) : told()));
    await gate.facts();
    isRefused = true;
    await expect(gate.decide(ASK)).rejects.toMatchObject({ name: "Refused", code });
    await expect(gate.facts()).rejects.toSatisfy(
      (error) => error instanceof Refused && error.status === status,
    );
  },
);

test("where nobody answers, nobody knows", async () => {
  const { gate, service } = gateTo(() => told(), { whenUnreachable: "allow" });
  service.isAway = true;
  await expect(gate.facts()).rejects.toBeInstanceOf(Unreachable);
});

test.each<[string, Response | null, object]>([
  ["nobody answers", null, { name: "Unreachable", status: null, retryAfterMs: 1000 }],
  [
    "something else answers 503 and says when",
    new Response("busy", { status: 503, headers: { "retry-after": "7" } }),
    { name: "Unreachable", status: 503, retryAfterMs: 7000 },
  ],
  [
    "something else answers 429 and does not say when",
    new Response("busy", { status: 429 }),
    { name: "Unreachable", status: 429, retryAfterMs: 1000 },
  ],
  [
    "something else is at the address",
    new Response("no such page", { status: 404 }),
    { name: "Unreachable", status: 404, retryAfterMs: null },
  ],
  [
    "the service answers 503",
    refusal("service_unavailable", 503, { "retry-after": "2" }),
    { name: "Refused", status: 503, retryAfterMs: 2000 },
  ],
  [
    "the service answers 429",
    refusal("rate_limited", 429, { "retry-after": "30" }),
    { name: "Refused", status: 429, retryAfterMs: 30_000 },
  ],
])("an error says when to try again: %s", async (_, response, error) => {
  const { gate, service } = gateTo(() => response?.clone() ?? told());
  service.isAway = response === null;
  await expect(gate.facts()).rejects.toMatchObject(error);
  await expect(gate.decide(ASK)).rejects.toMatchObject(error);
});

test("a gate that has too many runs to report says when to try again", async () => {
  const { gate } = gateTo(() => told(), { mostQueued: 0 });
  await expect(gate.decide(ASK)).rejects.toMatchObject({ name: "Unreachable", retryAfterMs: 1000 });
});

test("calls that several exchanges told of at once are told of no more, and those since then are", async () => {
  const replies = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  const waiting = replies.map(({ promise }) => promise);
  const { gate, service, exchanges } = gateTo(() => waiting.shift() ?? told(), {
    whenUnreachable: "allow",
  });
  const decideAway = async () => {
    service.isAway = true;
    await gate.decide(ASK);
    service.isAway = false;
  };
  await decideAway();
  const asked = [gate.decide(ASK), gate.decide(ASK)].map(async (one) => one.catch(() => undefined));
  await expect.poll(() => exchanges().length).toBe(2);
  await decideAway();
  for (const { resolve } of replies) resolve(told());
  await Promise.all(asked);
  await gate.flush();
  await gate.flush();
  await gate.decide(ASK).catch(() => undefined);
  expect(exchanges().map(({ ungoverned = 0 }) => ungoverned)).toEqual([1, 1, 1, 0]);
});
