import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { gateTo, leaseReply, RUN } from "./lease-replies.ts";

interface ProcessReport {
  /** Of those that nobody has any more. */
  readonly gates: number;
  readonly listeners: number;
  readonly heard: readonly string[];
}

/** A process in which so many gates live through the same, one after another. It must end by itself. */
async function processWith(kind: string, count: number): Promise<ProcessReport> {
  const program = join(import.meta.dirname, "gate-program.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    program,
    kind,
    String(count),
  ]);
  return JSON.parse(stdout) as ProcessReport;
}

describe("in a process that ends by itself", () => {
  test.each(["refused", "closed"])("gates that were %s leave nothing behind", async (kind) => {
    expect(await processWith(kind, 300)).toMatchObject({ gates: 0, listeners: 1 });
  });

  test.each(["queued", "closedBefore"])(
    "runs of gates that nobody has any more are still sent (%s)",
    async (kind) => {
      const { heard, listeners } = await processWith(kind, 3);
      expect(heard).toEqual([`${kind}-0`, `${kind}-1`, `${kind}-2`]);
      expect(listeners).toBe(1);
    },
  );

  test("calls that no limit has seen are still told", async () => {
    expect((await processWith("ungoverned", 2)).heard).toEqual(["1", "1"]);
  });

  test("a service that is away does not keep it from ending", async () => {
    expect((await processWith("away", 2)).heard).toEqual([]);
  });
});

test("many gates add one listener to the process", () => {
  const before = process.listenerCount("beforeExit");
  for (let at = 0; at < 20; at += 1) gateTo(() => leaseReply());
  expect(process.listenerCount("beforeExit")).toBeLessThanOrEqual(before + 1);
});

describe("a gate that was closed", () => {
  test("still sends the runs of calls that end later", async () => {
    const { gate, runs } = gateTo(() => leaseReply(), { flushMs: 1 });
    gate.settle("rsv_1", { ...RUN, id: "before" });
    await gate.close();
    gate.settle("rsv_2", { ...RUN, id: "after" });
    await expect.poll(runs).toEqual(["before", "after"]);
    await expect.poll(() => gate.stats.runsQueued).toBe(0);
    expect(gate.stats.runsSent).toBe(2);
  });

  test("while the service was away sends its runs once it is back", async () => {
    const { gate, service, runs } = gateTo(() => leaseReply(), { flushMs: 1 });
    service.isAway = true;
    gate.settle("rsv_1", { ...RUN, id: "kept" });
    await gate.close();
    expect(gate.stats).toMatchObject({ runsQueued: 1, runsSent: 0 });
    service.isAway = false;
    await expect.poll(runs).toEqual(["kept"]);
  });
});
