import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inOwnProcess } from "../../scripts/bench/part-process.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "sluice-bench-test-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** A part that does this. What it writes at `notes` outlives it. */
function partOf(name: string, code: string): { readonly script: string; readonly notes: string } {
  const [script, notes] = [join(FOLDER, `${name}.mjs`), join(FOLDER, `${name}.txt`)];
  const imports = 'import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";';
  writeFileSync(script, `${imports} const notes = ${JSON.stringify(notes)}; ${code}`);
  return { script, notes };
}

const HANGS = "setInterval(() => undefined, 1000);";
const MINUTE_SECONDS = 60;

test("a part that runs in its own process hands over its rows, and its temporary files are deleted", async () => {
  const { script, notes } = partOf(
    "measures",
    `writeFileSync(process.env.TMPDIR + "/data", ""); writeFileSync(notes, process.env.TMPDIR);
     process.send([{ name: process.argv.at(-1) }], () => process.exit(0));`,
  );
  expect(await inOwnProcess(script, "gate", MINUTE_SECONDS)).toEqual([{ name: "gate" }]);
  expect(existsSync(readFileSync(notes, "utf8"))).toBe(false);
});

test("a part whose process ends without rows is an error that says how it ended", async () => {
  const { script } = partOf("crashes", "process.exit(3);");
  await expect(inOwnProcess(script, "gate", MINUTE_SECONDS)).rejects.toThrow("its process ended with 3");
});

test("a part that never ends is ended with all that it started", async () => {
  const { script, notes } = partOf(
    "hangs",
    `const child = spawn(process.execPath, ["-e", ${JSON.stringify(HANGS)}], { stdio: "ignore" });
     writeFileSync(notes, String(child.pid)); ${HANGS}`,
  );
  await expect(inOwnProcess(script, "gate", 2)).rejects.toThrow("it was ended after 2 s");
  if (!existsSync(notes)) return;
  const pid = Number(readFileSync(notes, "utf8"));
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
});

/** A process that has ended and was not collected yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
