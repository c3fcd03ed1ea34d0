import { afterEach, beforeEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What was logged during a test that failed, for the summary of the run. */
    logged?: string[];
  }
}

/** The Worker's log is noise in a test that passes, and the first thing to read when one fails. */
const said: string[] = [];
const keep = (...words: unknown[]): void => void said.push(words.map(String).join(" "));
// oxlint-disable-next-line no-console -- the one that is not kept
const print = console.info.bind(console);
Object.assign(console, { log: keep, warn: keep, error: keep });

const MOST_LINES = 50;

export function useQuietConsole(): void {
  beforeEach(() => void said.splice(0));

  afterEach(({ task }) => {
    if (task.result?.state !== "fail" || said.length === 0) return;
    task.meta.logged = said.slice(-MOST_LINES);
    print(`logged by "${task.name}":\n${said.join("\n")}`);
  });
}
