import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const PATH = "/usr/bin/chromium";

/** Debian's Chromium. CI requires it. Elsewhere the tests report that it is missing. */
export const chromiumIsMissing = !existsSync(PATH);
if (chromiumIsMissing && process.env["CI"] === "true") throw new Error(`CI has no ${PATH}`);

export const MISSING_NOTE = chromiumIsMissing ? ` (not run: install Debian's chromium, ${PATH})` : "";

export function launch(): Promise<Browser> {
  const flags = [
    "no-sandbox",
    "disable-gpu",
    "disable-quic",
    "no-first-run",
    "disable-background-networking",
  ];
  const more = ["disable-component-update", "disable-sync"];
  return chromium.launch({ executablePath: PATH, args: [...flags, ...more].map((flag) => `--${flag}`) });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * The findings of the accessibility checker on a page, one line each, by all rules or by these.
 */
export async function findings(page: Page, rules: readonly string[] = []): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // What passes is not described, and the styles of the page are its own: both take longer than the rules.
    const options = { resultTypes: ["violations"], selectors: false, preload: false };
    const { violations } = await axe.run(only.length === 0 ? options : { ...options, runOnly: only });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  }, rules);
}
