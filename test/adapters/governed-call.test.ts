import { describe, expect, test } from "vitest";
import { begin, type CallGate } from "../../src/adapters/governed-call.ts";
import { PLAIN } from "../../src/providers/apis/request-members.ts";
import { type Metered, meter, meteringFrom } from "../../src/providers/metering.ts";

type Ask = Parameters<CallGate["decide"]>[0];

const FACTS = { contextTokens: 1000, outputTokens: 100, reasons: false, pictureTokens: 10 };

function metered(texts: readonly string[]): Metered {
  return meter({ ...PLAIN, model: "m", inputTokens: 5, texts }, FACTS, meteringFrom({}));
}

/** A gate that learns with its first decision what the organization's rules read. */
function gateThat(facts: { checks: string; scansInput: boolean }) {
  const asked: Ask[] = [];
  const released: unknown[] = [];
  let known: object | null = null;
  const gate = {
    decide: async (ask: Ask) => {
      asked.push(ask);
      known = { ...facts, countedBy: new Set() };
      return { reservation: { id: `rsv_${asked.length}`, amount_usd: "1" } };
    },
    release: async ({ reservation }: { reservation: { id: string } }) => void released.push(reservation.id),
    settle: () => undefined,
    flush: async () => undefined,
    get knownFacts() {
      return known;
    },
    priceOf: async () => null,
  } as unknown as CallGate;
  return { gate, asked, released };
}

const ask = { model: "m", estimate: { input_tokens: 5, max_output_tokens: 0 } };

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
