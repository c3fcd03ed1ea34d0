import { afterEach, beforeEach } from "vitest";

/** The Worker's log is noise in a test that passes, and the first thing to read when one fails. */
const said: string[] = [];
const keep = (...words: unknown[]): void => void said.push(words.map(String).join(" "));
// oxlint-disable-next-line no-console -- the one that is not kept
const print = console.info.bind(console);
Object.assign(console, { log: keep, warn: keep, error: keep });

beforeEach(() => void said.splice(0));

afterEach(({ task }) => {
  if (task.result?.state === "fail" && said.length > 0)
    print(`logged by "${task.name}":\n${said.join("\n")}`);
});
