import type { Context } from "hono";
import { html, raw } from "hono/html";
import { ERRORS } from "../contract/errors.ts";
import { REGION_HEADER, TRACE_HEADER } from "../contract/headers.ts";
import { tagOf } from "../contract/openapi.ts";
import { type OperationContract, refusalsOf } from "../contract/operation.ts";
import type { Env } from "../edge/env.ts";
import { settingsOf } from "../settings.ts";
import { DeprecationTable } from "./deprecation-table.tsx";
import { shapeOf } from "./shape-text.ts";

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 15%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 2rem 1rem; }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); text-transform: capitalize }
nav a { margin-right: .8rem; text-transform: capitalize }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .4rem .8rem }
summary { cursor: pointer } summary code { font-weight: 600 } summary span { opacity: .75 }
pre { overflow-x: auto; background: color-mix(in srgb, currentColor 6%, transparent); padding: .8rem; border-radius: 6px }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; border-bottom: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top }
`;

function OperationEntry({ op }: { op: OperationContract }) {
  return (
    <details id={`${op.method}-${op.path}`}>
      <summary>
        <code>
          {op.anyMethod === true ? "ANY" : op.method} {op.path}
        </code>{" "}
        <span>{op.summary}</span>
      </summary>
      {op.description === undefined ? null : <p>{op.description}</p>}
      <p>
        Role: <code>{op.role}</code>
        {op.scope === undefined ? null : (
          <>
            {" "}
            · Scope: <code>{op.scope}</code>
          </>
        )}
        {op.idempotent === true ? (
          <>
            {" "}
            · Takes <code>Idempotency-Key</code>
          </>
        ) : null}
      </p>
      {op.query === undefined ? null : <Shape title="Query" text={shapeOf(op.query, "input")} />}
      {op.body === undefined ? null : <Shape title="Body" text={shapeOf(op.body, "input")} />}
      {Object.entries(op.reply).map(([status, shape]) => (
        <Shape title={`Reply ${status}`} text={shape === null ? "no body" : shapeOf(shape, "output")} />
      ))}
      <p>
        Refuses with:{" "}
        {refusalsOf(op).map((code) => (
          <>
            <a href={`#error-${code}`}>
              <code>{code}</code>
            </a>{" "}
          </>
        ))}
      </p>
    </details>
  );
}

function Shape({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h4>{title}</h4>
      <pre>{text}</pre>
    </>
  );
}

function ErrorTable() {
  return (
    <table>
      <thead>
        <tr>
          <th>Code</th>
          <th>Status</th>
          <th>Retry</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(ERRORS).map(([code, spec]) => (
          <tr id={`error-${code}`}>
            <td>
              <code>{code}</code>
            </td>
            <td>{spec.statuses.join(" or ")}</td>
            <td>{spec.retry.replaceAll("_", " ")}</td>
            <td>{spec.message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Page({ operations, baseUrl }: { operations: readonly OperationContract[]; baseUrl: string }) {
  const tags = [...new Set(operations.map(tagOf))].sort();
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sluice API reference</title>
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <h1>Sluice API reference</h1>
        <p>
          Base address <code>{baseUrl}</code>. Every call carries{" "}
          <code>Authorization: Bearer &lt;API_KEY&gt;</code>. OpenAPI 3.1 document:{" "}
          <a href="/v1/openapi.json">/v1/openapi.json</a>.
        </p>
        <nav>
          {tags.map((tag) => (
            <a href={`#${tag}`}>{tag}</a>
          ))}
          <a href="#deprecations">deprecations</a>
          <a href="#errors">errors</a>
        </nav>
        {tags.map((tag) => (
          <section>
            <h2 id={tag}>{tag}</h2>
            {operations
              .filter((op) => tagOf(op) === tag)
              .map((op) => (
                <OperationEntry op={op} />
              ))}
          </section>
        ))}
        <h2 id="deprecations">deprecations</h2>
        <DeprecationTable />
        <h2 id="errors">errors</h2>
        <ErrorTable />
      </body>
    </html>
  );
}

let page: ReturnType<typeof html> | undefined;

/** The API reference, rendered once from the operations. It loads nothing from other hosts. */
export function serveDocs(
  operations: readonly OperationContract[],
  context: Context<{ Bindings: Env }>,
): Response | Promise<Response> {
  const settings = settingsOf(context.env);
  page ??= html`<!doctype html>${<Page operations={operations} baseUrl={settings.SVC_BASE_URL} />}`;
  return context.html(page, 200, {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    [TRACE_HEADER]: crypto.randomUUID(),
    [REGION_HEADER]: settings.SVC_REGION,
  });
}
