import { tagOf } from "../../contract/openapi.ts";
import type { OperationContract } from "../../contract/operation.ts";
import { describeTag, sortTags } from "../../contract/reference/sections.ts";
import { DeprecationTable } from "../deprecation-table.tsx";
import { ErrorTable } from "./plain.tsx";

const ANSWER = `{"decision": "allow",
 "reservation": {"id": "rsv_01M7PKR3R88JRMEBXAW0APFEGS", "amount_usd": "0.01", "expires_at": "…"},
 "limits": [], "evaluated_at": "…"}`;

const firstCall = (baseUrl: string) => `curl -i ${baseUrl}/v1/edge/decision \\
  -H "Authorization: Bearer $SLUICE_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "acme/m1", "estimate": {"cost_usd": "0.01"}}'`;

const reported = (baseUrl: string) => `curl -i ${baseUrl}/v1/runs \\
  -H "Authorization: Bearer $SLUICE_KEY" -H "Content-Type: application/json" \\
  -d '{"reservation_id": "rsv_01M7PKR3R88JRMEBXAW0APFEGS", "started_at": "2026-11-18T09:00:00Z", "model": "acme/m1",
       "usage": {"input_tokens": 900, "output_tokens": 120}, "cost_usd": "0.008"}'`;

const NEXT = [
  ["/docs/guides/quickstart", "Quickstart", "the proxy, the SDKs and the stand-in, in five minutes"],
  ["/docs/guides/limits", "Limits", "budgets, caps, customer limits and credits"],
  ["/docs/guides/refusals", "Refusals", "each code, and what to do about it"],
  ["/docs/plain", "Reference", "every operation with its fields"],
  ["/docs/interactive", "Try it", "the same, with calls from this page"],
] as const;

/** Where docs begin: the first call, and every operation by name. It is small, so that it is there at once. */
export function Start(props: { operations: readonly OperationContract[]; baseUrl: string }) {
  const { operations, baseUrl } = props;
  return (
    <main id="plain" class="start">
      <h1>Sluice API</h1>
      <p>
        Before each call to a model, ask whether it may be made; afterwards, report what it cost. Every call
        carries <code>Authorization: Bearer &lt;API_KEY&gt;</code>. <a href="/v1/openapi.json">OpenAPI 3.1</a>
        .
      </p>
      <nav aria-label="On this page" class="toc">
        <a href="#first-call">Your first call</a>
        <a href="#next">What to read next</a>
        <a href="#operations">Operations</a>
        <a href="#deprecations-table">Deprecated routes</a>
        <a href="#errors">Errors</a>
      </nav>
      <h2 id="first-call">Your first call</h2>
      <p>
        May this run spend a cent? Take a key from the console, or the one that <code>npm start</code> prints:
      </p>
      <pre tabindex={0}>{firstCall(baseUrl)}</pre>
      <p>It may, and a cent is reserved. Over a limit, the answer is 402, with the limit that refused it.</p>
      <pre tabindex={0}>{ANSWER}</pre>
      <p>When the run has ended, report what it cost. What was reserved is given back.</p>
      <pre tabindex={0}>{reported(baseUrl)}</pre>
      <h2 id="next">What to read next</h2>
      <ul>
        {NEXT.map(([href, title, about]) => (
          <li>
            <a href={href}>{title}</a>: {about}
          </li>
        ))}
      </ul>
      <h2 id="operations">Operations</h2>
      {sortTags(operations.map(tagOf)).map((tag) => (
        <Section tag={tag} of={operations.filter((op) => tagOf(op) === tag)} />
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

function Section({ tag, of }: { tag: string; of: readonly OperationContract[] }) {
  return (
    <details>
      <summary>{describeTag(tag)["x-displayName"]}</summary>
      <ul class="operations">
        {of.map((op) => (
          <li>
            <a href={`/docs/plain#${op.method}-${op.path}`}>
              <code>
                {op.anyMethod === true ? "ANY" : op.method} {op.path}
              </code>
            </a>{" "}
            {op.summary}
          </li>
        ))}
      </ul>
    </details>
  );
}
