import type { Child } from "hono/jsx";
import { Document, PlainPage } from "../console/view/document.tsx";
import { Icon, type IconName, Mark } from "../console/view/icons.tsx";

const PAGES: readonly (readonly [path: string, title: string, icon: IconName])[] = [
  ["/operator", "Organizations", "overview"],
  ["/operator/plans", "Plans", "budgets"],
  ["/operator/price-book", "Price book", "models"],
  ["/operator/deprecations", "Deprecations", "deprecations"],
  ["/operator/health", "Health", "settings"],
];

/** A page for an operator who is signed in. */
export function OperatorPage(props: {
  title: string;
  path: string;
  csrf: string;
  region: string;
  children: Child;
}) {
  return (
    <Document title={`${props.title} · Operator`}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="shell">
        <header class="side">
          <a class="brand" href="/operator">
            <Mark />
            Sluice
          </a>
          <button class="menu" type="button" popovertarget="nav">
            <Icon name="menu" />
            Menu
          </button>
          <nav class="nav" id="nav" popover="auto" aria-label="Operator console">
            <div>
              <h2>Platform</h2>
              <ul>
                {PAGES.map(([href, title, icon]) => (
                  <li>
                    <a href={href} {...(href === props.path ? { "aria-current": "page" } : {})}>
                      <Icon name={icon} />
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          </nav>
          <div class="who">
            <div>
              <strong>Operator</strong>
              <span class="quiet">region {props.region}</span>
            </div>
            <form method="post" action="/operator/logout">
              <input type="hidden" name="_csrf" value={props.csrf} />
              <button class="link" type="submit">
                Sign out
              </button>
            </form>
          </div>
        </header>
        <main class="main" id="main">
          <form
            class="search"
            method="get"
            action="/operator"
            role="search"
            aria-label="Search organizations"
          >
            <input
              name="q"
              type="search"
              aria-label="Name or id of an organization"
              placeholder="Name or id of an organization"
              autocomplete="off"
              spellcheck={false}
              maxlength={128}
            />
            <button type="submit">Search</button>
          </form>
          {props.children}
        </main>
      </div>
    </Document>
  );
}

export function OperatorSignIn(props: { csrf: string; once: string; problem: string | null }) {
  const wrong = props.problem === null ? {} : { "aria-invalid": "true", "aria-describedby": "key-error" };
  return (
    <PlainPage title="Operator sign-in">
      <h1>Operator sign-in</h1>
      <form class="form" method="post" action="/operator/login">
        <input type="hidden" name="_csrf" value={props.csrf} />
        <input type="hidden" name="_once" value={props.once} />
        <div class="field">
          <label for="key">Operator key</label>
          <input
            id="key"
            name="key"
            type="password"
            required
            autocomplete="off"
            spellcheck={false}
            {...wrong}
          />
          {props.problem !== null && (
            <span class="error" id="key-error" role="alert">
              {props.problem}
            </span>
          )}
          <span class="hint">
            Used once to open a session, and not kept. A new operator key ends every session.
          </span>
        </div>
        <div>
          <button class="primary" type="submit">
            Sign in
          </button>
        </div>
      </form>
      <p class="quiet small">
        <a href="/console/login">Sign in to an organization instead</a>
      </p>
    </PlainPage>
  );
}
