import type { Child } from "hono/jsx";
import { PlainPage } from "../view/document.tsx";
import { KeyForm } from "../view/shell.tsx";

const ORG = /^org_[0-9A-HJKMNP-TV-Z]{26}$/;

interface SignIn {
  readonly org: string | null;
  readonly returnTo: string;
  readonly csrf: string;
  readonly once: string;
  /** Why the key that was sent does not sign in. */
  readonly problem: string | null;
}

/** With a key, or with the organization's identity provider. */
export function SignInPage(props: SignIn) {
  return (
    <PlainPage title="Sign in">
      <h1>Sign in</h1>
      <KeyForm
        action="/console/login"
        label="Owner key"
        placeholder="svc_live_…"
        hint="Used once to open a session, and not kept. The session ends with the key."
        hidden={{ _csrf: props.csrf, _once: props.once, return_to: props.returnTo }}
        problem={props.problem}
      />
      <SingleSignOn {...props} />
      <details>
        <summary>Sign in with a link</summary>
        <p class="quiet small">
          Whoever has an owner key can create a link for you. It signs in once, within ten minutes.
        </p>
        <pre>{LINK_CALL}</pre>
      </details>
      <p class="quiet small">
        <a href="/operator/login">Sign in as the platform’s operator</a>
      </p>
    </PlainPage>
  );
}

const LINK_CALL = `curl -X POST "$BASE/v1/orgs/$ORG/console-links" \\
  -H "Authorization: Bearer $KEY"`;

/** The second step is a link, not a form: the browser then leaves this origin, which no form here may do. */
function SingleSignOn({ org, returnTo }: SignIn) {
  const known = org !== null && ORG.test(org);
  return (
    <section class="stack or">
      <h2>Single sign-on</h2>
      {known ? (
        <div class="inline">
          <a class="button" href={`/sso/login?${new URLSearchParams({ org, return_to: returnTo })}`}>
            Continue
          </a>
          <a href={`/console/login?${new URLSearchParams({ return_to: returnTo })}`}>Another organization</a>
        </div>
      ) : (
        <form class="form" method="get" action="/console/login">
          <input type="hidden" name="return_to" value={returnTo} />
          <div class="field">
            <label for="org">Organization id</label>
            <input
              id="org"
              name="org"
              value={org ?? ""}
              placeholder="org_…"
              autocomplete="organization"
              {...(org ? { "aria-invalid": "true", "aria-describedby": "org-error" } : {})}
            />
            {org && (
              <span class="error" id="org-error">
                This is not an organization id. An id is org_ followed by 26 characters.
              </span>
            )}
          </div>
          <div>
            <button type="submit">Next</button>
          </div>
        </form>
      )}
    </section>
  );
}

/** Asks before a link of another site signs in. */
export function ConfirmEntryPage({ link }: { link: string }) {
  return (
    <PlainPage title="Sign in">
      <div>
        <h1>Sign in with this link?</h1>
        <p class="quiet">
          Another site sent you here. Continue only if you or a colleague created this link. It works once.
        </p>
      </div>
      <form class="inline" method="post" action="/console/enter">
        <input type="hidden" name="link" value={link} />
        <button class="primary" type="submit">
          Sign in
        </button>
        <a href="/console/login">Not now</a>
      </form>
    </PlainPage>
  );
}

export function ConfirmEmailPage({ token }: { token: string }) {
  return (
    <PlainPage title="Confirm your address">
      <div>
        <h1>Do you want messages from Sluice?</h1>
        <p class="quiet">
          They say what an organization's AI applications spend, and go to the address that this link was
          mailed to.
        </p>
      </div>
      <form class="inline" method="post" action="/confirm-email">
        <input type="hidden" name="token" value={token} />
        <button class="primary" type="submit">
          Confirm the address
        </button>
      </form>
    </PlainPage>
  );
}

export function UnsubscribePage({ token }: { token: string }) {
  return (
    <PlainPage title="Unsubscribe">
      <div>
        <h1>Do you want no more of these mails?</h1>
        <p class="quiet">
          The messages that this link was mailed with are not sent to your address any more. Other messages
          are.
        </p>
      </div>
      <form class="inline" method="post" action={`/unsubscribe?token=${encodeURIComponent(token)}`}>
        <button class="primary" type="submit">
          Unsubscribe
        </button>
      </form>
    </PlainPage>
  );
}

/** A session that ended says how to get back. */
export function SignedOutPage({ login }: { login: string }) {
  return (
    <PlainPage title="Signed out">
      <div class="stack">
        <h1>Signed out</h1>
        <p class="quiet">
          Your session has ended: it expired, was revoked, or the key that opened it no longer works. You
          return to this page when you have signed in again, with any of these:
        </p>
        <ul class="bullets quiet">
          <li>an owner key,</li>
          <li>your organization’s identity provider,</li>
          <li>a new link, from whoever has an owner key.</li>
        </ul>
        <p class="quiet small">
          <code>session_revoked</code>
        </p>
      </div>
      <div>
        <a class="button primary" href={login}>
          Sign in
        </a>
      </div>
    </PlainPage>
  );
}

export function MessagePage(props: {
  title: string;
  text: Child;
  code?: string;
  link?: readonly [href: string, title: string];
}) {
  const [href, title] = props.link ?? ["/console/login", "Sign in"];
  return (
    <PlainPage title={props.title}>
      <div>
        <h1>{props.title}</h1>
        <p class="quiet">{props.text}</p>
        {props.code && (
          <p class="quiet small">
            <code>{props.code}</code>
          </p>
        )}
      </div>
      <div>
        <a class="button primary" href={href}>
          {title}
        </a>
      </div>
    </PlainPage>
  );
}
