import { appendFileSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logFiles, remarksTo, rotateLog } from "../../scripts/logfile.ts";
import { temporaryFolder } from "../support/folder.ts";

const BOUNDS = { maxBytes: 10, keep: 2 };

test("a log within its bound stays unchanged", () => {
  const log = join(temporaryFolder(), "x.log");
  rotateLog(log, BOUNDS);
  writeFileSync(log, "0123456789");
  rotateLog(log, BOUNDS);
  expect(logFiles(log)).toEqual([log]);
});

test("a log over its bound is rotated completely, and new lines go to an empty file", () => {
  const log = join(temporaryFolder(), "x.log");
  for (const line of ["first line\n", "second line\n", "third line\n", "fourth line\n"]) {
    appendFileSync(log, line);
    rotateLog(log, BOUNDS);
  }
  appendFileSync(log, "last\n");
  expect(logFiles(log)).toEqual([`${log}.2`, `${log}.1`, log]);
  expect(logFiles(log).map((file) => readFileSync(file, "utf8"))).toEqual([
    "third line\n",
    "fourth line\n",
    "last\n",
  ]);
});

test("the log never uses more space than its bounds", () => {
  const log = join(temporaryFolder(), "x.log");
  for (let line = 0; line < 50; line += 1) {
    appendFileSync(log, "0123456789\n");
    rotateLog(log, BOUNDS);
  }
  const bytes = logFiles(log).reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThanOrEqual(3 * 11);
});

test("every line of the log is JSON, including the runtime's own messages", () => {
  const log = join(temporaryFolder(), "x.log");
  const remark = remarksTo(log);
  remark(`{"level":"error","trace_id":"t"}`);
  remark(`kj/async.c++:1: "quoted"`);
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: "error", trace_id: "t" },
    { level: "error", source: "workerd", message: `kj/async.c++:1: "quoted"` },
  ]);
});

test("lines are lost on a full disk, and the next line that is written says how many", () => {
  const log = join(temporaryFolder(), "x.log");
  symlinkSync("/dev/full", log);
  const remark = remarksTo(log);
  for (const line of ["one", "two", "three"]) remark(line);
  rmSync(log);
  remark("four");
  const messages = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { message: string }).message);
  expect(messages).toEqual(["3 log lines were lost: they could not be written", "four"]);
});

test("a log that cannot be copied stays unchanged, and is rotated once it can", () => {
  const log = join(temporaryFolder(), "x.log");
  appendFileSync(log, "first line\n");
  symlinkSync("/dev/full", `${log}.new`);
  rotateLog(log, BOUNDS);
  expect(logFiles(log)).toEqual([log]);
  rotateLog(log, BOUNDS);
  expect(readFileSync(`${log}.1`, "utf8")).toBe("first line\n");
});
