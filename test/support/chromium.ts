import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { PATIENCE_MS } from "./patience.ts";

/** The shell has no window to draw, and takes a third less of the processor. */
const PATHS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const PATH = PATHS.find((path) => existsSync(path));

/** Debian's Chromium. CI requires it. Elsewhere the tests report that it is missing. */
export const chromiumIsMissing = PATH === undefined;
if (chromiumIsMissing && process.env["CI"] === "true") throw new Error(`CI has none of ${PATHS.join(", ")}`);

export const MISSING_NOTE = chromiumIsMissing ? " (not run: install Debian's chromium-headless-shell)" : "";

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

/** Its pages wait as long as every other wait of a test, and not for half a minute. */
export async function launch(): Promise<Browser> {
  if (PATH === undefined) throw new Error("there is no Chromium");
  const args = FLAGS.map((flag) => `--${flag}`);
  const browser = await chromium.launch({ executablePath: PATH, args, timeout: PATIENCE_MS });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
