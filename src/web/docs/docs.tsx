import { createHash } from "node:crypto";
import type { Context } from "hono";
import { html } from "hono/html";
import { REGION_HEADER, TRACE_HEADER } from "../../contract/headers.ts";
import type { OperationContract } from "../../contract/operation.ts";
import type { Env } from "../../edge/env.ts";
import { type Settings, settingsOf } from "../../settings.ts";
import { Bar } from "./bar.tsx";
import { SearchResults } from "./search-results.tsx";
import { FOUND_MARK, searchSections } from "./guide-search.ts";
import { PlainReference } from "./plain.tsx";
import { Start } from "./start.tsx";

const MOST_SOUGHT = 100;

type Ctx = Context<{ Bindings: Env }>;

/** Scripts are this origin's own files only. Calls from the page go to this API only. */
function policyOf({ SVC_BASE_URL: base }: Settings): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(base).origin}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function headersOf(settings: Settings): Record<string, string> {
  return {
    "content-security-policy": policyOf(settings),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    [TRACE_HEADER]: crypto.randomUUID(),
    [REGION_HEADER]: settings.SVC_REGION,
  };
}

/** The start page, the whole reference as text, and the one that makes calls. */
export type DocsPage = "start" | "plain" | "interactive";

const TITLES: Readonly<Record<DocsPage, string>> = {
  start: "Sluice API",
  plain: "Sluice API reference",
  interactive: "Try the Sluice API",
};

interface Drawn {
  readonly operations: readonly OperationContract[];
  readonly baseUrl: string;
  readonly kind: DocsPage;
}

/** Only the interactive page loads more than a few kilobytes of scripts. */
function Page(props: Drawn) {
  const { kind } = props;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{TITLES[kind]}</title>
        <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/assets/look.css" />
        <link rel="stylesheet" href="/docs/assets/reference.css" />
        <script src={`/docs/assets/${kind === "interactive" ? "reference" : "copy"}.js`} defer />
      </head>
      <body>
        <Bar />
        <Body {...props} />
      </body>
    </html>
  );
}

function Body(props: Drawn) {
  if (props.kind === "start") return <Start {...props} />;
  if (props.kind === "plain") return <PlainReference {...props} />;
  return (
    <>
      <main id="plain">
        <h1>Try the API</h1>
        <p>
          This page makes calls, and needs scripts for it. <a href="/docs/plain">The reference</a> has the
          same operations as text.
        </p>
      </main>
      <div id="reference" hidden />
    </>
  );
}

const pages = new Map<DocsPage, ReturnType<typeof html>>();

/** A page of the reference, rendered once from the operations. It loads nothing from other hosts. */
export function serveDocs(
  operations: readonly OperationContract[],
  context: Ctx,
  kind: DocsPage,
): Response | Promise<Response> {
  const settings = settingsOf(context.env);
  const baseUrl = settings.SVC_BASE_URL;
  const page =
    pages.get(kind) ?? html`<!doctype html>${<Page operations={operations} baseUrl={baseUrl} kind={kind} />}`;
  pages.set(kind, page);
  return context.html(page, 200, headersOf(settings));
}

/**
 * The OpenAPI document for the page that makes calls. It is large, so a browser keeps it by its version, which is its digest, and
 * asks only whether that is still the one.
 */
export async function serveDocument(context: Ctx, read: () => Promise<Response>): Promise<Response> {
  const found = await read();
  if (found.status !== 200) return found;
  const text = await found.text();
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 24)}"`;
  const headers = {
    ...headersOf(settingsOf(context.env)),
    "content-type": "application/json",
    "cache-control": "public, no-cache",
    etag,
  };
  const isKnown = context.req.header("if-none-match")?.includes(etag) === true;
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

/** A static file of the reference. */
export async function serveAsset(context: Ctx, name: string): Promise<Response | null> {
  const [, type = ""] = /^[a-z0-9-]+\.(js|css|svg|png)$/.exec(name) ?? [];
  return type === "" ? null : fromAssets(context, name, TYPES[type] ?? "");
}

const MARKDOWN = "text/markdown; charset=utf-8";

/** A guide, made from a file of `docs`: a page, or with `.md` the file itself. */
export async function serveGuide(context: Ctx, name: string): Promise<Response | null> {
  if (!/^[a-z-]{1,40}(\.md)?$/.test(name)) return null;
  return name.endsWith(".md")
    ? fromAssets(context, `guides/${name}`, MARKDOWN)
    : fromAssets(context, `guides/${name}.html`, "text/html; charset=utf-8");
}

/** Lists what there is to read here, for models, with whole addresses. */
export async function serveLlmsText(context: Ctx): Promise<Response | null> {
  const found = await fromAssets(context, "llms.txt", "text/plain; charset=utf-8");
  if (found === null) return null;
  const { origin } = new URL(settingsOf(context.env).SVC_BASE_URL);
  return new Response((await found.text()).replaceAll("](/", `](${origin}/`), { headers: found.headers });
}

/** The list of guides, or the parts of them that have what is sought. */
export async function serveGuides(context: Ctx): Promise<Response | null> {
  const query = context.req.query("q")?.trim().slice(0, MOST_SOUGHT) ?? "";
  if (query === "") return serveGuide(context, "index");
  const [page, sections] = await Promise.all([
    fromAssets(context, "guides/search.txt", "text/html; charset=utf-8"),
    fromAssets(context, "guides/sections.json", "application/json"),
  ]);
  if (page === null || sections === null) return null;
  const found =
    await html`${<SearchResults query={query} of={searchSections(await sections.json(), query)} />}`;
  const text = (await page.text()).replace(FOUND_MARK, () => found.toString());
  return new Response(text, { headers: page.headers });
}

/** A file whose name changes with its content, so that browsers can keep it. */
const HASHED = /-[0-9a-f]{12}\.js$/;

/** Null if there is no such file, or no files were deployed with the Worker. */
async function fromAssets(context: Ctx, path: string, type: string): Promise<Response | null> {
  const found = await context.env.ASSETS?.fetch(`http://assets/${path}`);
  if (found?.status !== 200) {
    await found?.body?.cancel();
    return null;
  }
  const headers = {
    ...headersOf(settingsOf(context.env)),
    "content-type": type,
    "cache-control": HASHED.test(path) ? "public, max-age=31536000, immutable" : "public, max-age=300",
  };
  return new Response(found.body, { headers });
}
