import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { LOOKS, type Looks } from "./looks.ts";

/** The accessibility checker, and what it finds on a page: one line each. */

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A function is compiled when it is called, and the browser keeps it for the pages that come after. */
const LOADER = `globalThis.loadAxe = function () { ${axeSource} };`;
/** Pages that have the loader, wherever they go. */
const prepared = new WeakSet<Page>();

interface Result {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly element: unknown;
    readonly any: readonly { readonly data?: { readonly messageKey?: string } }[];
  }[];
}

interface Axe {
  run(context: object, options: object): Promise<Record<"violations" | "passes" | "incomplete", Result[]>>;
}

/** What is found by all rules, of which contrast is judged once for texts that look the same. */
export async function findings(page: Page): Promise<string[]> {
  return [...(await withoutContrast(page)), ...(await lowContrast(page))];
}

async function withoutContrast(page: Page): Promise<string[]> {
  await load(page);
  return page.evaluate(async () => {
    const { axe, document } = globalThis as unknown as { axe: Axe; document: object };
    const rules = { "color-contrast": { enabled: false } };
    // What passes is not described, and the styles of the page are its own: both take longer than the rules.
    const options = { resultTypes: ["violations"], selectors: false, preload: false, rules };
    const { violations } = await axe.run(document, options);
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  });
}

/** Looks that the checker has judged, and that no rule is broken by. */
const judged = new Set<string>();

/**
 * Texts that are hard to read in the colors of now. Of texts that look the same, one is judged, and the others only if the
 * checker passed over that one.
 */
export async function lowContrast(page: Page): Promise<string[]> {
  const { looks, texts } = await page.evaluate<Looks>(LOOKS);
  const whole = texts.map((names) => names.replaceAll(/\d+/g, (name) => `${looks[Number(name) - 1]}`));
  const chosen = new Set(new Map(whole.map((look, index) => [look, index])).values());
  const found = await judgeThose(page, whole, (index) => chosen.has(index));
  return [...found, ...(await judgeThose(page, whole, (index) => !chosen.has(index)))];
}

/** Judges those of these texts whose look is not settled yet. */
async function judgeThose(
  page: Page,
  whole: readonly string[],
  isMeant: (index: number) => boolean,
): Promise<string[]> {
  const unknown = whole.flatMap((look, index) => (!judged.has(look) && isMeant(index) ? [index] : []));
  if (unknown.length === 0) return [];
  await load(page);
  const { found, settled } = await page.evaluate(judge, unknown);
  for (const look of settled.map((index) => whole[index])) if (look !== undefined) judged.add(look);
  return found;
}

/** Runs in the page. A text that the checker passes over, as it does what is hidden, is not settled. */
async function judge(indices: readonly number[]): Promise<{ found: string[]; settled: number[] }> {
  const { axe, sluiceTexts: texts } = globalThis as unknown as { axe: Axe; sluiceTexts: unknown[] };
  const { violations, passes, incomplete } = await axe.run(
    { include: indices.map((index) => texts[index]) },
    { runOnly: ["color-contrast"], selectors: false, preload: false, elementRef: true },
  );
  // The color of a gradient is never known.
  const inGradients = incomplete.map(({ nodes }) => ({
    nodes: nodes.filter(({ any }) => any[0]?.data?.messageKey === "bgGradient"),
  }));
  return {
    found: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)),
    settled: [...passes, ...inGradients].flatMap(({ nodes }) =>
      nodes.map(({ element }) => texts.indexOf(element)),
    ),
  };
}

async function load(page: Page): Promise<void> {
  if (!prepared.has(page)) {
    prepared.add(page);
    await page.addInitScript({ content: LOADER });
    await page.evaluate(LOADER);
  }
  await page.evaluate("if (typeof axe === 'undefined') loadAxe()");
}
