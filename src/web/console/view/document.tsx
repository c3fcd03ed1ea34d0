import type { Child } from "hono/jsx";

import { STYLESHEET_PATH } from "../theme/stylesheet.ts";
import { Icon, type IconName, Mark } from "./icons.tsx";

export interface Visitor {
  readonly orgName: string;
  readonly orgId: string;
  readonly name: string;
  readonly role: string;
  readonly csrf: string;
  /** Open support grants whose session has been used: shown on every page until they end. */
  readonly supportInside: { readonly reason: string; readonly until: string } | null;
  readonly pendingApprovals: number;
}

interface Section {
  readonly title: string;
  readonly pages: readonly (readonly [path: string, title: string, icon: IconName])[];
}

const SECTIONS: readonly Section[] = [
  {
    title: "Spend",
    pages: [
      ["/console", "Overview", "overview"],
      ["/console/runs", "Runs", "runs"],
      ["/console/budgets", "Budgets", "budgets"],
      ["/console/limits", "Limits", "limits"],
    ],
  },
  {
    title: "Control",
    pages: [
      ["/console/policies", "Policies", "policies"],
      ["/console/approvals", "Approvals", "approvals"],
    ],
  },
  {
    title: "Connect",
    pages: [
      ["/console/keys", "Keys", "keys"],
      ["/console/webhooks", "Webhooks", "webhooks"],
      ["/console/deprecations", "Deprecations", "deprecations"],
    ],
  },
  {
    title: "Trust",
    pages: [
      ["/console/audit", "Audit trail", "audit"],
      ["/console/people", "People", "people"],
      ["/console/support", "Support access", "support"],
    ],
  },
];

export function Document({ title, children }: { title: string; children: Child }) {
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
      </head>
      <body>{children}</body>
    </html>
  );
}

/** A page for somebody who is signed in. */
export function Page(props: { title: string; path: string; visitor: Visitor; children: Child }) {
  const { visitor } = props;
  return (
    <Document title={props.title}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="shell">
        <Side path={props.path} visitor={visitor} />
        <main class="main" id="main">
          {visitor.supportInside && (
            <div class="banner" role="status">
              <strong>Support is inside.</strong>
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

function Side({ path, visitor }: { path: string; visitor: Visitor }) {
  return (
    <header class="side">
      <a class="brand" href="/console">
        <Mark />
        Sluice
      </a>
      <nav class="nav" aria-label="Console">
        {SECTIONS.map((section) => (
          <div>
            <h2>{section.title}</h2>
            <ul>
              {section.pages.map(([href, title, icon]) => (
                <li>
                  <a href={href} {...(href === path ? { "aria-current": "page" } : {})}>
                    <Icon name={icon} />
                    {title}
                    {href === "/console/approvals" && visitor.pendingApprovals > 0 && (
                      <span class="badge warn count">{visitor.pendingApprovals}</span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="who">
        <div>
          <strong title={visitor.orgId}>{visitor.orgName}</strong>
          <span class="quiet">
            {visitor.name} · {visitor.role}
          </span>
        </div>
        <form method="post" action="/console/logout">
          <input type="hidden" name="_csrf" value={visitor.csrf} />
          <button class="link" type="submit">
            Sign out
          </button>
        </form>
      </div>
    </header>
  );
}

/** A page for somebody who is not signed in, or an answer that has no place in the navigation. */
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
