import { ERRORS } from "../../contract/errors.ts";
import { tagOf } from "../../contract/openapi.ts";
import { describeTag, sortTags } from "../../contract/reference/sections.ts";
import { type OperationContract, refusalsOf } from "../../contract/operation.ts";
import { DeprecationTable } from "../deprecation-table.tsx";
import { shapeOf } from "./shape-text.ts";

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
            {op.orScope === undefined ? null : (
              <>
                {" "}
                or <code>{op.orScope}</code>
              </>
            )}
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
      <h3>{title}</h3>
      <pre tabindex={0}>{text}</pre>
    </>
  );
}

export function ErrorTable() {
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

/** The whole reference, which needs no scripts. */
export function PlainReference({
  operations,
  baseUrl,
}: {
  operations: readonly OperationContract[];
  baseUrl: string;
}) {
  const tags = sortTags(operations.map(tagOf));
  return (
    <main id="plain">
      <h1>Sluice API reference</h1>
      <p>
        Base address <code>{baseUrl}</code>. Every call carries{" "}
        <code>Authorization: Bearer &lt;API_KEY&gt;</code>. OpenAPI 3.1 document:{" "}
        <a href="/v1/openapi.json">/v1/openapi.json</a>.
      </p>
      <nav aria-label="Sections">
        {tags.map((tag) => (
          <a href={`#${tag}`}>{titleOf(tag)}</a>
        ))}
        <a href="#deprecations-table">Deprecated routes</a>
        <a href="#errors">Errors</a>
      </nav>
      {tags.map((tag) => (
        <section class="part">
          <h2 id={tag}>{titleOf(tag)}</h2>
          {operations
            .filter((op) => tagOf(op) === tag)
            .map((op) => (
              <OperationEntry op={op} />
            ))}
        </section>
      ))}
      <h2 id="deprecations-table">Deprecated routes</h2>
      <div class="wide" tabindex={0} role="region" aria-label="Deprecated routes">
        <DeprecationTable />
      </div>
      <h2 id="errors">Errors</h2>
      <div class="wide" tabindex={0} role="region" aria-label="Errors">
        <ErrorTable />
      </div>
    </main>
  );
}

function titleOf(tag: string): string {
  return describeTag(tag)["x-displayName"];
}
