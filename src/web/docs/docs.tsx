import type { Context } from "hono";
import { html } from "hono/html";
import { REGION_HEADER, TRACE_HEADER } from "../../contract/headers.ts";
import type { OperationContract } from "../../contract/operation.ts";
import type { Env } from "../../edge/env.ts";
import { type Settings, settingsOf } from "../../settings.ts";
import { Found } from "./found.tsx";
import { FOUND_MARK, foundIn } from "./guide-search.ts";
import { PlainReference } from "./plain.tsx";

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

function Page(props: { operations: readonly OperationContract[]; baseUrl: string; isPlain: boolean }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sluice API reference</title>
        <link rel="stylesheet" href="/docs/assets/reference.css" />
        {!props.isPlain && <script src="/docs/assets/scalar.js" defer />}
        {!props.isPlain && <script src="/docs/assets/reference.js" defer />}
      </head>
      <body>
        <header id="bar">
          <b>Sluice API</b>
          <a href="/docs/guides">Guides</a>
          {props.isPlain ? <a href="/docs">Interactive</a> : <a href="/docs/plain">Plain</a>}
          <a href="/docs/plain#errors">Errors</a>
          <a href="/console">Console</a>
          <form action="/docs/guides" role="search" aria-label="Guides">
            <input
              type="search"
              name="q"
              aria-label="Search the guides"
              placeholder="Search the guides"
              required
              maxlength={100}
            />
          </form>
        </header>
        <PlainReference {...props} />
        <div id="reference" hidden />
      </body>
    </html>
  );
}

const pages = new Map<boolean, ReturnType<typeof html>>();

/** The API reference, rendered once from the operations. It loads nothing from other hosts. */
export function serveDocs(
  operations: readonly OperationContract[],
  context: Ctx,
  isPlain: boolean,
): Response | Promise<Response> {
  const settings = settingsOf(context.env);
  const baseUrl = settings.SVC_BASE_URL;
  const page =
    pages.get(isPlain) ??
    html`<!doctype html>${<Page operations={operations} baseUrl={baseUrl} isPlain={isPlain} />}`;
  pages.set(isPlain, page);
  return context.html(page, 200, headersOf(settings));
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

/** What there is to read here, for models, with whole addresses. */
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
  const found = await html`${<Found query={query} of={foundIn(await sections.json(), query)} />}`;
  const text = (await page.text()).replace(FOUND_MARK, () => found.toString());
  return new Response(text, { headers: page.headers });
}

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
    "cache-control": "public, max-age=300",
  };
  return new Response(found.body, { headers });
}
