import { PlainPage } from "../view/document.tsx";

const ORG = /^org_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The second step is a link, not a form: the browser then leaves this origin, which no form here may do. */
export function SignInPage({ org, returnTo }: { org: string | null; returnTo: string }) {
  const known = org !== null && ORG.test(org);
  return (
    <PlainPage title="Sign in">
      <div>
        <h1>Sign in</h1>
        <p class="quiet">
          {known ? "Continue with your organization's identity provider." : "Which organization is yours?"}
        </p>
      </div>
      {known ? (
        <div class="inline">
          <a class="button primary" href={`/sso/login?${new URLSearchParams({ org, return_to: returnTo })}`}>
            Continue
          </a>
          <a class="button" href="/console/login">
            Another organization
          </a>
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
            <button class="primary" type="submit">
              Next
            </button>
          </div>
        </form>
      )}
    </PlainPage>
  );
}

export function MessagePage(props: {
  title: string;
  text: string;
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
