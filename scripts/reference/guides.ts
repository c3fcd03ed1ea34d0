import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Micromark from "micromark";
import type * as Gfm from "micromark-extension-gfm";
import { FOUND_MARK, type Section } from "../../src/web/docs/guide-search.ts";
import { ROOT } from "../worker-config.ts";

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly pictures: readonly string[];
}

/** In the order in which people read them. */
const NAMES = [
  "quickstart",
  "console",
  "limits",
  "limits-in-git",
  "refusals",
  "client",
  "mcp",
  "proxy",
  "from-helicone",
  "from-portkey",
  "from-litellm",
  "langchain",
  "mastra",
  "coding-agents",
  "workers-ai",
  "webhooks",
  "prices",
  "reports",
  "exports",
  "telemetry",
  "forecasts",
  "policies",
  "content-safety",
  "audit-log",
  "sso",
  "architecture",
  "operating",
  "runbook",
  "signals",
  "promises",
  "performance",
  "glossary",
];

export const GUIDES: readonly Guide[] = NAMES.map((name) => {
  const text = readFileSync(join(ROOT, "docs", `${name}.md`), "utf8");
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
  const pictures = [...text.matchAll(/\]\(pictures\/([\w.-]+)\)/g)].map(([, file = ""]) => file);
  return { name, title, text, pictures };
});

const KNOWN = new Set(NAMES);

/** A link between files of `docs` becomes one between pages. What is not served here stays readable as text. */
function linked(html: string): string {
  return html
    .replaceAll(/src="pictures\/([\w.-]+)"/g, 'src="/docs/assets/$1" loading="lazy"')
    .replaceAll(/<a href="([\w-]+)\.md(#[\w-]+)?">/g, (whole, name: string, anchor = "") =>
      KNOWN.has(name) ? `<a href="/docs/guides/${name}${String(anchor)}">` : whole,
    )
    .replaceAll(/<a href="(?!https?:|\/|#)[^"]*">([^]*?)<\/a>/g, "$1");
}

/** A guide as it is written. Its links lead to what is served here, and what is not stays readable as text. */
export function guideText({ text }: Guide): string {
  return text.replaceAll(
    /(!?)\[([^\]]*)\]\((?!https?:|\/|#)([^)\s]+)\)/g,
    (_, mark: string, words: string, to: string) => {
      const [, picture] = /^pictures\/([\w.-]+)$/.exec(to) ?? [];
      if (picture !== undefined) return `${mark}[${words}](/docs/assets/${picture})`;
      const [, name = "", anchor = ""] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(to) ?? [];
      return KNOWN.has(name) ? `[${words}](/docs/guides/${name}.md${anchor})` : words;
    },
  );
}

/** What there is to read here, for models: https://llmstxt.org. */
export function llmsText(): string {
  const guides = GUIDES.map(
    (guide) => `- [${guide.title}](/docs/guides/${guide.name}.md): ${summaryOf(guide)}`,
  );
  return `# Sluice

> Sluice controls what AI applications spend: before each call to a model it says whether the call may be made and reserves what it may cost, and afterwards it records what it did cost.

Money is a decimal string in US dollars. Every call has the header \`Authorization: Bearer svc_…\`, and every error is \`{"error": {"code", "message", "details"}}\`.

## API

- [OpenAPI](/v1/openapi.json): every operation, with its fields, refusals and examples
- [Errors](/v1/meta/errors): every error code, and what to do about it
- [Deprecations](/v1/meta/deprecations): routes that will be removed, and when

## Guides

${guides.join("\n")}

## Tools

- [Model Context Protocol](/docs/guides/mcp.md): the API as tools, at /mcp
`;
}

/** The first sentence below the title, or what the parts are called. */
function summaryOf({ text }: Guide): string {
  const [, first = ""] = /^# .+\n+([^#\n|][^]*?)(?:\n\n|$)/.exec(text) ?? [];
  const [, sentence] = /^([^]*?[.:])(?:\s|$)/.exec(plainOf(first)) ?? [];
  if (sentence !== undefined) return sentence.replace(/:$/, ".");
  const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => plainOf(heading));
  return `${parts.join(", ")}.`;
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

/** Headings get the anchors that GitHub gives them, and wide blocks scroll by themselves. */
function navigable(html: string): string {
  let tables = 0;
  const wide = () =>
    `<div class="wide" tabindex="0" role="region" aria-label="Table ${(tables += 1)}"><table>`;
  return html
    .replaceAll(/<h([1-4])>([^]*?)<\/h\1>/g, (_, level: string, text: string) => {
      const plain = text.replaceAll(/<[^>]+>/g, "").replaceAll(/&\w+;/g, "");
      return `<h${level} id="${anchorOf(plain)}">${text}</h${level}>`;
    })
    .replaceAll("<table>", wide)
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
}

/** Most starts find the pages as they should be, and do without the parser. */
function parser() {
  const load = createRequire(import.meta.url);
  const { micromark } = load("micromark") as typeof Micromark;
  return { micromark, ...(load("micromark-extension-gfm") as typeof Gfm) };
}

export function guidePage({ name, title, text }: Guide): string {
  const { micromark, gfm, gfmHtml } = parser();
  const body = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return page(title, name, navigable(linked(body)), contentsOf(text));
}

const FEWEST_PARTS = 3;

/** The parts of a guide, as links. A short guide needs none. */
function contentsOf(text: string): string {
  const parts = [...withoutCode(text).matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => plainOf(heading));
  if (parts.length < FEWEST_PARTS) return "";
  const links = parts.map((part) => `<li><a href="#${anchorOf(part)}">${escaped(part)}</a></li>`);
  return `<nav class="toc" aria-label="On this page"><ul>\n${links.join("\n")}\n</ul></nav>`;
}

export function guidesPage(): string {
  const entries = GUIDES.map(
    ({ name, title }) => `<li><a href="/docs/guides/${name}">${escaped(title)}</a></li>`,
  );
  return page("Guides", "", `<h1>Guides</h1>\n<ul>\n${entries.join("\n")}\n</ul>`);
}

/** The page of what a search finds, which the Worker puts in place of the mark. */
export const searchPage = (): string => page("Search the guides", "", FOUND_MARK);

/** The headings of all guides, each with the text below it. */
export function sectionsOf({ name, title, text }: Guide): Section[] {
  const [intro = "", ...rest] = withoutCode(text).split(/^(?=#{1,4} )/m);
  return [intro, ...rest].flatMap((part) => {
    const [, heading = "", body = ""] = /^#{1,4} (.+)\n?([^]*)$/.exec(part) ?? [];
    if (heading === "") return [];
    const plain = plainOf(heading);
    return [
      { guide: title, heading: plain, href: `/docs/guides/${name}#${anchorOf(plain)}`, text: plainOf(body) },
    ];
  });
}

/** Lines of code may begin as headings do. They are text to find, too. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, (code) => code.replaceAll(/^#/gm, " #"));
}

function plainOf(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]|^\|?[-| :]+\|$/gm, "")
    .replaceAll(/[\s|]+/g, " ")
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function page(title: string, current: string, body: string, contents = ""): string {
  const links = GUIDES.map(({ name, title: words }) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li><a href="/docs/guides/${name}"${mark}>${escaped(words)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Sluice</title>
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/look.css">
<link rel="stylesheet" href="/docs/assets/guides.css">
<script src="/docs/assets/copy.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar"><a class="brand" href="/docs"><img src="/console/icon.svg" alt="" width="20" height="20">Sluice docs</a>
<a href="/docs">Start</a> <a href="/docs/guides">Guides</a> <a href="/docs/plain">Reference</a> <a href="/docs/interactive">Try it</a> <a href="/console">Console</a>
<form action="/docs/guides" role="search"><input type="search" name="q" aria-label="Search the guides" placeholder="Search the guides" required maxlength="100"><button>Search</button></form></header>
<div class="columns">
<main id="content">
${body}
</main>
<nav aria-label="Guides"><ul>
${links.join("\n")}
</ul></nav>
${contents}
</div>
</body>
</html>
`;
}
