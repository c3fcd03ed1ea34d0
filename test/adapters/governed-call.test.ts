import { describe, expect, test } from "vitest";
import { begin, type CallGate } from "../../src/adapters/governed-call.ts";
import { PLAIN } from "../../src/providers/apis/request-members.ts";
import { type MeteredCall, meter, meteringFrom } from "../../src/providers/metering.ts";

type DecisionBody = Parameters<CallGate["decide"]>[0];

const FACTS = { contextTokens: 1000, outputTokens: 100, reasons: false, pictureTokens: 10 };

function metered(texts: readonly string[]): MeteredCall {
  return meter({ ...PLAIN, model: "m", inputTokens: 5, texts }, FACTS, meteringFrom({}));
}

/** A gate that learns with its first decision what the organization's rules read. */
function gateThat(facts: { checks: string; scansInput: boolean; sendsSpans?: boolean }) {
  const settled: { readonly traceparent?: string }[] = [];
  const settledWith: unknown[] = [];
  const asked: DecisionBody[] = [];
  const told: unknown[] = [];
  const released: unknown[] = [];
  let known: object | null = null;
  const gate = {
    decide: async (ask: DecisionBody, { traceparent }: { traceparent?: unknown } = {}) => {
      asked.push(ask);
      told.push(traceparent);
      known = { ...facts, countedBy: new Set() };
      return { reservation: { id: `rsv_${asked.length}`, amount_usd: "1" } };
    },
    release: async ({ reservation }: { reservation: { id: string } }) => void released.push(reservation.id),
    settle: (_: unknown, run: object, options: unknown) => {
      settled.push(run);
      settledWith.push(options);
    },
    forget: () => (known = null),
    get knownFacts() {
      return known;
    },
    priceOf: async () => null,
  } as unknown as CallGate & { forget(): void };
  return { gate, asked, told, released, settled, settledWith };
}

const ask = { model: "m", estimate: { input_tokens: 5, max_output_tokens: 0 } };

test("the run of a call is sent by the request that made the call", async () => {
  const { gate, settledWith } = gateThat({ checks: "limits", scansInput: false });
  const waitUntil = () => undefined;
  (await begin({ gate, ask, metered: metered([]), waitUntil })).finish(null);
  expect(settledWith).toEqual([{ waitUntil }]);
});

describe("the text of a call", () => {
  test("is asked about as soon as the gate learns that it is read, and what was reserved before is given back", async () => {
    const { gate, asked, released } = gateThat({ checks: "all", scansInput: true });
    const call = await begin({ gate, ask, metered: metered(["a text"]) });
    expect(asked.map(({ input }) => input)).toEqual([undefined, ["a text"]]);
    expect(released).toEqual(["rsv_1"]);
    expect(call.allowed.reservation?.id).toBe("rsv_2");
    await begin({ gate, ask, metered: metered(["another"]) });
    expect(asked.map(({ input }) => input)).toEqual([undefined, ["a text"], ["another"]]);
  });

  test.each([
    ["nothing reads it", { checks: "all", scansInput: false }, {}],
    ["decisions check limits only", { checks: "limits", scansInput: true }, {}],
    ["this decision checks limits only", { checks: "all", scansInput: true }, { checks: "limits" as const }],
  ])("is not sent where %s", async (_, facts, more) => {
    const { gate, asked } = gateThat(facts);
    for (let time = 0; time < 2; time += 1)
      await begin({ gate, ask: { ...ask, ...more }, metered: metered(["a text"]) });
    expect(asked.map(({ input }) => input)).toEqual([undefined, undefined]);
  });

  test("that is longer than rules read is not passed on", async () => {
    const { gate } = gateThat({ checks: "all", scansInput: true });
    const long = metered(["x".repeat(1_000_000), "x".repeat(1_000_001)]);
    await expect(begin({ gate, ask, metered: long })).rejects.toMatchObject({ status: 413 });
  });
});

test("a call whose run never comes is charged, unless its caller says otherwise", async () => {
  const { gate, asked } = gateThat({ checks: "limits", scansInput: false });
  await begin({ gate, ask, metered: null });
  await begin({ gate, ask: { ...ask, on_expiry: "release" }, metered: null });
  expect(asked.map(({ on_expiry }) => on_expiry)).toEqual(["charge", "release"]);
});

describe("the caller's span", () => {
  const TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const plain = { checks: "limits", scansInput: false };

  async function tracesOf(facts: Parameters<typeof gateThat>[0], traceparent: string | undefined) {
    const { gate, settled } = gateThat(facts);
    const call = await begin({ gate, ask, metered: metered([]), traceparent });
    // A call may take longer than what the gate knows holds.
    gate.forget();
    call.finish(null);
    return settled.map((run) => run.traceparent);
  }

  test("is named by the run where runs are sent on as spans, and nowhere else", async () => {
    expect(await tracesOf({ ...plain, sendsSpans: true }, TRACE)).toEqual([TRACE]);
    expect(await tracesOf({ ...plain, sendsSpans: false }, TRACE)).toEqual([undefined]);
    expect(await tracesOf(plain, TRACE)).toEqual([undefined]);
  });

  test("is told to the gate with each decision, which is below it if it is refused", async () => {
    const { gate, told } = gateThat({ checks: "all", scansInput: true });
    await begin({ gate, ask, metered: metered(["a text"]), traceparent: TRACE });
    expect(told).toEqual([TRACE, TRACE]);
  });

  test.each([undefined, "", "x", TRACE.toUpperCase(), `${TRACE}-more`, `${TRACE}\n`])(
    "%j is not, because the service would refuse the run",
    async (header) => expect(await tracesOf({ ...plain, sendsSpans: true }, header)).toEqual([undefined]),
  );

  test("of a later version is named as far as it is known", async () => {
    const later = TRACE.replace("00-", "cc-");
    expect(await tracesOf({ ...plain, sendsSpans: true }, `${later}-more`)).toEqual([TRACE]);
  });
});
