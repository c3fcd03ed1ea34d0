import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PATH = "/usr/bin/chromium";

/** Debian's Chromium. CI requires it. Elsewhere the tests report that it is missing. */
export const chromiumIsMissing = !existsSync(PATH);
if (chromiumIsMissing && process.env["CI"] === "true") throw new Error(`CI has no ${PATH}`);

export const MISSING_NOTE = chromiumIsMissing ? ` (not run: install Debian's chromium, ${PATH})` : "";

const FLAGS = [
  "no-sandbox",
  "disable-gpu",
  "disable-quic",
  "no-first-run",
  "disable-background-networking",
  "disable-component-update",
  "disable-sync",
  // A page lives shorter than it takes to optimize its scripts.
  "js-flags=--no-turbofan,--no-maglev",
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: FLAGS.map((flag) => `--${flag}`) });
}
