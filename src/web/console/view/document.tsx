import type { Child } from "hono/jsx";
import type { KeyRole } from "../../../contract/access.ts";
import { STYLESHEET_PATH } from "../theme/stylesheet.ts";
import { Mark } from "./icons.tsx";
import { entryPath, SECTIONS, SIDEBAR_PATH, SubNav } from "./navigation.tsx";
import { Search, Side } from "./shell.tsx";

export interface Visitor {
  readonly orgName: string;
  readonly orgId: string;
  readonly name: string;
  readonly role: KeyRole;
  readonly csrf: string;
  /** Open support grants whose session has been used: shown on every page until they end. */
  readonly supportInside: { readonly reason: string; readonly until: string } | null;
  readonly pendingApprovals: number;
  /** The time on the clock of a test organization. Null: the organization is real. */
  readonly testClock: string | null;
}

export function Document(props: {
  readonly title: string;
  readonly scripts?: readonly string[];
  readonly children: Child;
}) {
  const { title, scripts = [], children } = props;
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
        {scripts.map((script) => (
          <script src={script} defer />
        ))}
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
  /** The scripts that it runs. */
  readonly scripts: readonly string[];
  /** True if the navigation shows its icons alone. */
  readonly isSlim: boolean;
  readonly children: Child;
}) {
  const { visitor, liveSeconds, isSlim } = props;
  return (
    <Document title={props.title} scripts={props.scripts}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class={isSlim ? "shell slim" : "shell"}>
        <OrgSide path={props.path} visitor={visitor} isSlim={isSlim} />
        <main class="main" id="main" {...(liveSeconds === null ? {} : { "data-live": String(liveSeconds) })}>
          <Search
            action="/console/search"
            label="Search"
            hint="Customer, budget, key, model, page or any id"
            list="found"
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
          <SubNav path={props.path} beside={waitingBeside(visitor, APPROVALS)} />
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

const APPROVALS = "/console/approvals";

/** How many approvals wait, beside a link. */
function waitingBeside({ pendingApprovals: waiting }: Visitor, at: string): (href: string) => Child {
  return (href) => href === at && waiting > 0 && <span class="badge warn count">{waiting}</span>;
}

function OrgSide(props: { readonly path: string; readonly visitor: Visitor; readonly isSlim: boolean }) {
  const { path, visitor, isSlim } = props;
  return (
    <Side
      home="/console"
      label="Console"
      sections={SECTIONS}
      path={entryPath(path)}
      csrf={visitor.csrf}
      beside={waitingBeside(visitor, entryPath(APPROVALS))}
      fold={{ action: SIDEBAR_PATH, isSlim }}
    >
      <strong title={`${visitor.orgName} (${visitor.orgId})`}>{visitor.orgName}</strong>
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
