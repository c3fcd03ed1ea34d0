import { moment } from "../view/format.ts";
import { ActionButton, AreaField, type Draft, Form, Problems, TextField } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Badge, Card, Facts, Head, Table } from "../view/parts.tsx";
import { type Ask, bodyOf, type ListOf, show, type Shown, submit, type Visit } from "../visit.ts";
import { act } from "./act.ts";

const UNDER = "/console/people";
const COLUMNS = [
  { title: "Person" },
  { title: "Role" },
  { title: "Signed in" },
  { title: "Last seen" },
  { title: "Ends" },
  { title: "Actions", hidden: true },
];
const DEFAULT_ROLES = [
  ["viewer", "Viewer"],
  ["developer", "Developer"],
  ["admin", "Admin"],
] as const;

interface Session {
  readonly id: string;
  readonly user: { readonly name: string; readonly provider: string };
  readonly role: string;
  readonly current: boolean;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
}

interface Connection {
  readonly kind: "oidc" | "saml";
  readonly issuer?: string;
  readonly client_id?: string;
  readonly idp_entity_id?: string;
  readonly idp_sso_url?: string;
  readonly idp_certificate?: string;
  readonly default_role: string;
  readonly sign_in_url: string;
}

export async function people(
  visit: Visit,
  ask: Ask,
  refused: Draft | null = null,
  status = 200,
): Promise<Shown> {
  const [sessions, sso] = await Promise.all([
    visit.api.get<ListOf<Session>>(`${visit.org}/sessions?limit=200`),
    visit.api.get<Connection>(`${visit.org}/sso`),
  ]);
  const content = (
    <>
      <Head title="People" about="Who is signed in to this console, and how people sign in." />
      <Notice ask={ask} />
      {refused && <Problems draft={refused} />}
      <Card title="Signed in now" bare>
        {sessions.body === null ? (
          <div class="body quiet">{sessions.error?.message}</div>
        ) : (
          <Table label="Sessions" columns={COLUMNS}>
            {sessions.body.data.map((session) => (
              <SessionRow visit={visit} session={session} />
            ))}
          </Table>
        )}
      </Card>
      {sso.status === 403 ? null : <SignInCard visit={visit} connection={sso.body} refused={refused} />}
    </>
  );
  return show("People", UNDER, content, status);
}

function SessionRow({ visit, session }: { visit: Visit; session: Session }) {
  return (
    <tr>
      <td>
        {session.user.name} {session.current && <Badge tone="accent">you</Badge>}
        <span class="sub">{session.user.provider}</span>
      </td>
      <td>{session.role}</td>
      <td class="nowrap">{moment(session.created_at)}</td>
      <td class="nowrap">{moment(session.last_seen_at)}</td>
      <td class="nowrap">{moment(session.expires_at)}</td>
      <td>
        <ActionButton
          csrf={visit.visitor.csrf}
          once={visit.once()}
          action={`${UNDER}/sessions/${session.id}/revoke`}
          label="Revoke"
          about={`Revoke the session of ${session.user.name}`}
          danger
        />
      </td>
    </tr>
  );
}

function SignInCard({
  visit,
  connection,
  refused,
}: {
  visit: Visit;
  connection: Connection | null;
  refused: Draft | null;
}) {
  const values = Object.fromEntries(
    Object.entries(connection ?? { default_role: "viewer" }).map(([name, value]) => [
      name,
      String(value ?? ""),
    ]),
  );
  const draft = refused ?? { values, errors: {}, problem: null };
  return (
    <Card
      title="Single sign-on"
      note={connection ? `In use: ${connection.kind.toUpperCase()}` : "Not set up"}
    >
      <div class="stack">
        {connection && (
          <Facts
            of={[
              ["People sign in at", <a href={connection.sign_in_url}>{connection.sign_in_url}</a>],
              ["Provider", connection.issuer ?? connection.idp_entity_id ?? ""],
            ]}
          />
        )}
        <div class="columns">
          <OidcForm visit={visit} draft={draft} />
          <SamlForm visit={visit} draft={draft} />
        </div>
      </div>
    </Card>
  );
}

function OidcForm({ visit, draft }: { visit: Visit; draft: Draft }) {
  return (
    <Form action={`${UNDER}/sso/oidc`} csrf={visit.visitor.csrf} once={visit.once()}>
      <h3>OpenID Connect</h3>
      <TextField
        name="issuer"
        label="Issuer"
        required
        draft={draft}
        placeholder="https://login.example.com"
      />
      <TextField name="client_id" label="Client id" required draft={draft} />
      <TextField
        name="client_secret"
        label="Client secret"
        required
        draft={{ ...draft, values: {} }}
        type="password"
        hint="Rests encrypted, and is never shown."
      />
      <DefaultRole id="oidc" draft={draft} />
      <div>
        <button type="submit">Use OpenID Connect</button>
      </div>
    </Form>
  );
}

function SamlForm({ visit, draft }: { visit: Visit; draft: Draft }) {
  return (
    <Form action={`${UNDER}/sso/saml`} csrf={visit.visitor.csrf} once={visit.once()}>
      <h3>SAML 2.0</h3>
      <p class="quiet small">
        Give your provider <a href={`/saml/${visit.visitor.orgId}/metadata`}>this service's metadata</a>.
      </p>
      <TextField name="idp_entity_id" label="Provider's entity id" required draft={draft} />
      <TextField
        name="idp_sso_url"
        label="Provider's sign-on address"
        required
        draft={draft}
        placeholder="https://login.example.com/saml"
      />
      <AreaField
        name="idp_certificate"
        label="Provider's certificate"
        required
        draft={draft}
        hint="PEM; two while it changes."
      />
      <DefaultRole id="saml" draft={draft} />
      <div>
        <button type="submit">Use SAML</button>
      </div>
    </Form>
  );
}

function DefaultRole({ id, draft }: { id: string; draft: Draft }) {
  return (
    <div class="field">
      <label for={`${id}-role`}>Role of people whose provider names none</label>
      <select id={`${id}-role`} name="default_role">
        {DEFAULT_ROLES.map(([value, title]) => (
          <option value={value} selected={draft.values["default_role"] === value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

export function saveSso(visit: Visit, ask: Ask): Promise<Shown> {
  const kind = ask.params["kind"] === "saml" ? "saml" : "oidc";
  const shape =
    kind === "saml"
      ? { idp_entity_id: "text", idp_sso_url: "text", idp_certificate: "text" }
      : { issuer: "text", client_id: "text", client_secret: "text" };
  const body = { kind, ...bodyOf(ask.form, { ...(shape as Record<string, "text">), default_role: "text" }) };
  const request = { method: "PUT", path: `${visit.org}/sso`, body } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "saved"),
    (draft, status) => people(visit, ask, draft, status),
  );
}

export function revokeSession(visit: Visit, ask: Ask): Promise<Shown> {
  return act(visit, ask, ["DELETE", `${visit.org}/sessions/${ask.params["id"]}`, null], [UNDER, "revoked"]);
}
