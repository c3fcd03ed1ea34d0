import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Caller, Over, unanswered } from "../../scripts/chaos/caller.ts";
import { Findings, roundsUntilOver } from "../../scripts/chaos/findings.ts";
import { inTime, TooLate } from "../../scripts/chaos/in-time.ts";
import { longestSeconds, Pace } from "../../scripts/chaos/pace.ts";
import { mostSecondsOf, sharesOf } from "../../scripts/chaos/shares.ts";
import { comparedEnding, earlyEnding, STATUS } from "../../scripts/chaos/verdict.ts";

/** Every wait of `npm run chaos` ends, and says what was waited for. */

const never = new Promise<never>(() => {});

/** What the work of the probe takes where nothing else is done. */
const USUAL_MS = 20;

/** A pace with a clock that moves only when it is told. */
function pacedBy(...measuredMs: number[]) {
  const clock = { ms: 0 };
  const pace = new Pace(() => clock.ms);
  for (const ms of measuredMs) pace.note(ms);
  return { pace, pass: (seconds: number) => (clock.ms += seconds * 1000) };
}

test("a second of a machine that is four times as slow counts for a quarter", () => {
  const { pace, pass } = pacedBy();
  const isOver = pace.after(10);
  pass(5);
  pace.note(4 * USUAL_MS);
  pass(19);
  expect([pace.slowness, pace.seconds, isOver()]).toEqual([4, 9.75, false]);
  pass(1);
  expect([isOver(), pace.ms(100)]).toEqual([true, 400]);
});

test("a single slow measurement changes nothing, a fast machine has no less time, and there is a bound", () => {
  expect(pacedBy(USUAL_MS, USUAL_MS, 900).pace.slowness).toBe(1);
  expect(pacedBy(1).pace.slowness).toBe(1);
  expect(pacedBy(1e6).pace.slowness).toBe(10);
  expect(pacedBy(USUAL_MS * 1.3).pace.ms(3)).toBe(4);
  expect(longestSeconds(60)).toBe(600);
});

test("the speed of this machine is measured", async () => {
  const pace = await Pace.measured();
  expect(pace.slowness).toBeGreaterThanOrEqual(1);
  pace.stop();
});

test("a wait that is over in time has its result, and one that is not says what was waited for", async () => {
  const within = (seconds: number) => ({ pace: new Pace(), seconds, what: () => "a webhook" });
  await expect(inTime(within(60), Promise.resolve("arrived"))).resolves.toBe("arrived");
  await expect(inTime(within(60), Promise.reject(new Error("cut off")))).rejects.toThrow("cut off");
  const late = inTime(within(0.01), never);
  await expect(late).rejects.toThrow(TooLate);
  await expect(late).rejects.toThrow("a webhook: not within 0.01 seconds");
});

test("what is missing after its time is the service's fault, unless the machine was slow", () => {
  const late = (slowness: number) => new TooLate("a webhook", { seconds: 60, slowness });
  expect(earlyEnding(late(1), 0)).toMatchObject({
    verdict: "violated",
    why: expect.stringMatching(/^no end: a webhook/),
  });
  expect(earlyEnding(late(2.9), 0).verdict).toBe("violated");
  expect(earlyEnding(late(3), 0).verdict).toBe("no verdict");
});

test("what was found stands, however the run ended, and nothing else is a verdict", () => {
  expect(earlyEnding(new TooLate("a webhook", { seconds: 60, slowness: 9 }), 1).verdict).toBe("violated");
  expect(earlyEnding("ended by SIGTERM", 2).verdict).toBe("violated");
  expect(earlyEnding("ended by SIGTERM", 0)).toEqual({ verdict: "no verdict", why: "ended by SIGTERM" });
  expect(earlyEnding(new TypeError("of the check itself"), 0).verdict).toBe("no verdict");
  expect(comparedEnding(1, true).verdict).toBe("violated");
  expect(comparedEnding(0, true).verdict).toBe("no verdict");
  expect(comparedEnding(0, false).verdict).toBe("holds");
  expect(STATUS).toEqual({ holds: 0, violated: 1, "no verdict": 2 });
});

test("a run has ended by the time that all of its parts may take together", () => {
  for (const seconds of [1, 12, 60]) {
    const [own, none] = [sharesOf(seconds), sharesOf(0)];
    expect(own.faults).toBeGreaterThan(seconds);
    const longer = own.faults - none.faults + (own.reading - none.reading);
    expect(mostSecondsOf(seconds)).toBeCloseTo(mostSecondsOf(0) + longer);
  }
  expect(mostSecondsOf(60)).toBeLessThan(420);
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
    throw new TooLate("a region", { seconds: 1, slowness: 1 });
  });
  await expect(failed.ended()).rejects.toThrow(TooLate);
  expect(failed.findings.all).toEqual([]);
});
