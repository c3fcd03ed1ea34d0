import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that its creator removes: for what outlives a single test. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "sluice-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder for one test, removed afterwards. */
export function temporaryFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}
