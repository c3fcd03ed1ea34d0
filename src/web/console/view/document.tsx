import type { Child } from "hono/jsx";
import type { KeyRole } from "../../../contract/access.ts";
import { SCRIPT_PATH } from "../live/script.ts";
import { STYLESHEET_PATH } from "../theme/stylesheet.ts";
import { Mark } from "./icons.tsx";
import { Search, type Section, Side } from "./shell.tsx";

export interface Visitor {
  readonly orgName: string;
  readonly orgId: string;
  readonly name: string;
  readonly role: KeyRole;
  readonly csrf: string;
  /** Open support grants whose session has been used: shown on every page until they end. */
  readonly supportInside: { readonly reason: string; readonly until: string } | null;
  readonly pendingApprovals: number;
  /** What the clock of a test organization shows. Null: the organization is real. */
  readonly testClock: string | null;
}

const SECTIONS: readonly Section[] = [
  {
    title: "Spend",
    pages: [
      ["/console", "Overview", "overview"],
      ["/console/runs", "Runs", "runs"],
      ["/console/refusals", "Refusals", "refusals"],
      ["/console/customers", "Customers", "customers"],
      ["/console/explain", "Explain", "explain"],
      ["/console/benchmarks", "Benchmarks", "benchmarks"],
    ],
  },
  {
    title: "Limits",
    pages: [
      ["/console/budgets", "Budgets", "budgets"],
      ["/console/limits", "Caps and plan", "limits"],
      ["/console/customer-limits", "Customer limits", "limits"],
      ["/console/packs", "Credit packs", "packs"],
      ["/console/rate-limits", "Rate limits", "rates"],
    ],
  },
  {
    title: "Rules",
    pages: [
      ["/console/policies", "Policies", "policies"],
      ["/console/approvals", "Approvals", "approvals"],
      ["/console/safety", "Content safety", "safety"],
    ],
  },
  {
    title: "Models",
    pages: [
      ["/console/models", "Price book", "models"],
      ["/console/routing", "Routing", "routing"],
      ["/console/fallbacks", "Fallbacks", "routing"],
      ["/console/evals", "Eval results", "evals"],
    ],
  },
  {
    title: "Connect",
    pages: [
      ["/console/keys", "Keys", "keys"],
      ["/console/provider-keys", "Keys of providers", "keys"],
      ["/console/webhooks", "Webhooks", "webhooks"],
      ["/console/events", "Events", "events"],
      ["/console/deprecations", "Deprecations", "deprecations"],
    ],
  },
  {
    title: "Organization",
    pages: [
      ["/console/audit", "Audit trail", "audit"],
      ["/console/people", "People", "people"],
      ["/console/sso", "Single sign-on", "sso"],
      ["/console/support", "Support access", "support"],
      ["/console/exports", "Exports", "data"],
      ["/console/data", "Data", "data"],
      ["/console/settings", "Settings", "settings"],
    ],
  },
];

export function Document({ title, children, script }: { title: string; children: Child; script?: string }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} · Sluice</title>
        <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={STYLESHEET_PATH} />
        {script && <script src={script} defer />}
      </head>
      <body>{children}</body>
    </html>
  );
}

/** A page for somebody who is signed in. */
export function Page(props: {
  readonly title: string;
  readonly path: string;
  readonly visitor: Visitor;
  /** How many seconds lie between two refreshes, of a page that refreshes itself. */
  readonly liveSeconds: number | null;
  readonly children: Child;
}) {
  const { visitor, liveSeconds } = props;
  return (
    <Document title={props.title} {...(liveSeconds === null ? {} : { script: SCRIPT_PATH })}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="shell">
        <OrgSide path={props.path} visitor={visitor} />
        <main class="main" id="main" {...(liveSeconds === null ? {} : { "data-live": String(liveSeconds) })}>
          <Search
            action="/console/search"
            label="Search by id"
            hint="Trace, run, reservation, decision, key or customer id"
          />
          {liveSeconds !== null && <Live />}
          {visitor.testClock !== null && (
            <div class="banner test" role="status">
              <strong>Test organization.</strong>
              <span>Its clock shows {visitor.testClock}.</span>
            </div>
          )}
          {visitor.supportInside && (
            <div class="banner" role="status">
              <strong>Support has access.</strong>
              <span>
                {visitor.supportInside.reason} Until {visitor.supportInside.until}.
              </span>
              <a href="/console/support">See or end it</a>
            </div>
          )}
          {props.children}
        </main>
      </div>
    </Document>
  );
}

/** Says whether the page refreshes itself. Without scripts, it is refreshed by hand. */
function Live() {
  return (
    <div class="live">
      <span id="live" hidden>
        Updates by itself
      </span>
      <noscript>
        <a href="">Refresh</a>
      </noscript>
    </div>
  );
}

function OrgSide({ path, visitor }: { path: string; visitor: Visitor }) {
  const { pendingApprovals } = visitor;
  const beside = (href: string) =>
    href === "/console/approvals" &&
    pendingApprovals > 0 && <span class="badge warn count">{pendingApprovals}</span>;
  return (
    <Side home="/console" label="Console" sections={SECTIONS} path={path} csrf={visitor.csrf} beside={beside}>
      <strong title={visitor.orgId}>{visitor.orgName}</strong>
      <span class="quiet">
        {visitor.name === visitor.role ? visitor.role : `${visitor.name} · ${visitor.role}`}
      </span>
    </Side>
  );
}

/** A page for a visitor who is not signed in, or a page outside the navigation. */
export function PlainPage({ title, children }: { title: string; children: Child }) {
  return (
    <Document title={title}>
      <main class="plain" id="main">
        <div class="card">
          <a class="brand" href="/console">
            <Mark />
            Sluice
          </a>
          {children}
        </div>
      </main>
    </Document>
  );
}
