import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Caller, Over, unanswered } from "../../scripts/chaos/caller.ts";
import { Findings, roundsUntilOver } from "../../scripts/chaos/findings.ts";
import { inTime, TooLate } from "../../scripts/chaos/in-time.ts";
import { mostSecondsOf, sharesOf } from "../../scripts/chaos/shares.ts";

/** Every wait of `npm run chaos` ends, and says what was waited for. */

const never = new Promise<never>(() => {});

test("a wait that is over in time has its result, and one that is not says what was waited for", async () => {
  await expect(inTime(60, () => "a webhook", Promise.resolve("arrived"))).resolves.toBe("arrived");
  await expect(inTime(60, () => "a webhook", Promise.reject(new Error("cut off")))).rejects.toThrow(
    "cut off",
  );
  const late = inTime(0.01, () => "a webhook", never);
  await expect(late).rejects.toThrow(TooLate);
  await expect(late).rejects.toThrow("VIOLATION no end: a webhook: not within 0.01 seconds");
});

test("a run has a verdict by the time that all of its parts may take together", () => {
  for (const seconds of [1, 12, 60]) {
    const [own, none] = [sharesOf(seconds), sharesOf(0)];
    expect(own.faults).toBeGreaterThan(seconds);
    const longer = own.faults - none.faults + (own.reading - none.reading);
    expect(mostSecondsOf(seconds)).toBeCloseTo(mostSecondsOf(0) + longer);
  }
  expect(mostSecondsOf(60)).toBeLessThan(420);
  expect(mostSecondsOf(60, 5)).toBeCloseTo(5 * mostSecondsOf(60));
});

/** A server that answers everything with a failure that may pass. */
async function unavailable(): Promise<readonly [string]> {
  const server = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

test("a call that is tried again and again is named meanwhile, and ends once nobody needs it", async () => {
  const urls = await unavailable();
  const time = { isOver: false };
  const sent = new Caller(urls, "key").during({ isOver: () => time.isOver }).send("GET", "/v1/runs");
  expect(unanswered()).toEqual(["an answer to GET /v1/runs"]);
  time.isOver = true;
  await expect(sent).rejects.toThrow(Over);
  expect(unanswered()).toEqual([]);
});

/** Rounds that note what is done, and end as they are told. */
function noted(end: () => void) {
  const done: string[] = [];
  const traffic = { answers: 0, isOver: false };
  const findings = new Findings(() => undefined);
  const rounds = {
    name: "of a test",
    open: async () => void done.push("open"),
    round: async () => {
      done.push("round");
      if (done.length > 3) end();
    },
  };
  const pause = async () => void done.push("pause");
  return { done, traffic, findings, ended: () => roundsUntilOver(rounds, { traffic, findings }, pause) };
}

test("rounds pause after the first, and end where their time is over", async () => {
  const { done, findings, ended } = noted(() => {
    throw new Over();
  });
  await ended();
  expect(done).toEqual(["open", "round", "pause", "round"]);
  expect(findings.all).toEqual([]);
});

test("rounds end with the traffic", async () => {
  const { done, traffic, ended } = noted(() => (traffic.isOver = true));
  await ended();
  expect(done).toEqual(["open", "round", "pause", "round"]);
});

test("an answer that cannot be read is found, and any other error is not hidden", async () => {
  const unread = noted(() => {
    throw new TypeError("Cannot read properties of undefined");
  });
  await unread.ended();
  expect(unread.findings.all).toEqual([
    { kind: "unpromised answer", what: expect.stringContaining("of the org of a test ended with TypeError") },
  ]);
  const failed = noted(() => {
    throw new TooLate("a region", 1);
  });
  await expect(failed.ended()).rejects.toThrow(TooLate);
  expect(failed.findings.all).toEqual([]);
});
