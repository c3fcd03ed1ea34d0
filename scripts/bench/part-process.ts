import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "./bench-row.ts";

/** `--alone gate`: the process is one that measures this part for another. */
export const ALONE = "--alone";

/**
 * A part in a process of its own. One that crashes or hangs loses its own rows only, and nothing that it started or wrote is left
 * to disturb the next: its processes are a group, and its temporary files are in one folder.
 */
export async function inOwnProcess(script: string, name: string, mostSeconds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-part-"));
  const child = fork(script, [...process.argv.slice(2), ALONE, name], {
    detached: true,
    env: { ...process.env, TMPDIR: folder },
  });
  const end = () => endGroup(child.pid);
  process.once("exit", end);
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      end();
    },
    Math.min(mostSeconds * 1000, LONGEST_TIMER_MS),
  );
  let rows: BenchRow[] | null = null;
  child.once("message", (measured: BenchRow[]) => {
    rows = measured;
  });
  try {
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once("error", reject).once("exit", (...ended) => resolve(ended));
    });
    if (rows !== null) return rows;
    if (isLate) throw new Error(`it was ended after ${mostSeconds.toFixed(0)} s`);
    throw new Error(`its process ended with ${code ?? signal}; see what it wrote`);
  } finally {
    clearTimeout(timer);
    process.off("exit", end);
    end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
