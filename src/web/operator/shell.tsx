import type { Child } from "hono/jsx";
import { Document, PlainPage } from "../console/view/document.tsx";
import { KeyForm, Search, type Section, Side } from "../console/view/shell.tsx";

const SECTIONS: readonly Section[] = [
  {
    title: "Platform",
    pages: [
      ["/operator", "Organizations", "overview"],
      ["/operator/plans", "Plans", "budgets"],
      ["/operator/price-book", "Price book", "models"],
      ["/operator/deprecations", "Deprecations", "deprecations"],
      ["/operator/health", "Health", "settings"],
      ["/operator/sessions", "Sessions", "people"],
    ],
  },
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
        <Side
          home="/operator"
          label="Operator console"
          sections={SECTIONS}
          path={props.path}
          csrf={props.csrf}
        >
          <strong>Operator</strong>
          <span class="quiet">region {props.region}</span>
        </Side>
        <main class="main" id="main">
          <Search action="/operator" label="Search organizations" hint="Name or id of an organization" />
          {props.children}
        </main>
      </div>
    </Document>
  );
}

export function OperatorSignIn(props: { csrf: string; once: string; problem: string | null }) {
  return (
    <PlainPage title="Operator sign-in">
      <h1>Operator sign-in</h1>
      <KeyForm
        action="/operator/login"
        label="Operator key"
        hint="Used once to open a session, and not kept. A new operator key ends every session."
        hidden={{ _csrf: props.csrf, _once: props.once }}
        problem={props.problem}
      />
      <p class="quiet small">
        <a href="/console/login">Sign in to an organization instead</a>
      </p>
    </PlainPage>
  );
}
