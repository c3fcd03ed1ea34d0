import { moment } from "../view/format.ts";
import { ActionButton, BLANK, type Draft, Form, Problems, SelectField, TextField } from "../view/form.tsx";
import { Notice } from "../view/notice.tsx";
import { Card, Empty, Head, Pager, Secret, Status, Table } from "../view/parts.tsx";
import {
  type Ask,
  bodyOf,
  listPath,
  type ListOf,
  pagesOf,
  show,
  type Shown,
  submit,
  type Visit,
} from "../visit.ts";
import { act } from "./act.ts";
import { refusedPage } from "./refused.tsx";

const UNDER = "/console/keys";
const COLUMNS = [
  { title: "Key" },
  { title: "Role" },
  { title: "Scopes" },
  { title: "State" },
  { title: "Made" },
  { title: "Expires" },
  { title: "Actions", hidden: true },
];
const ROLES = [
  ["developer", "Developer: decisions and runs"],
  ["viewer", "Viewer: reads"],
  ["admin", "Admin: limits, policies, keys"],
  ["owner", "Owner: everything"],
] as const;

interface Key {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly scopes: readonly string[];
  readonly status: string;
  readonly last4: string;
  readonly expires_at: string | null;
  readonly created_at: string;
}

export async function listKeys(visit: Visit, ask: Ask): Promise<Shown> {
  const answer = await visit.api.get<ListOf<Key>>(listPath(`${visit.org}/keys`, ask.query, []));
  if (answer.body === null) return refusedPage(answer, UNDER);
  const mint = (
    <a class="button primary" href="/console/keys/new">
      Mint a key
    </a>
  );
  const content = (
    <>
      <Head
        title="Keys"
        about="What programs sign in with. A key's role and scopes are fixed when it is minted; the key itself is shown once."
      >
        {mint}
      </Head>
      <Notice ask={ask} />
      <Card bare>
        {answer.body.data.length === 0 ? (
          <Empty icon="keys" title="No keys" action={mint}>
            Mint one for the proxy that asks for decisions, and another for whatever reports runs.
          </Empty>
        ) : (
          <Table label="Keys" columns={COLUMNS}>
            {answer.body.data.map((key) => (
              <KeyRow visit={visit} record={key} />
            ))}
          </Table>
        )}
        <Pager {...pagesOf(UNDER, ask.query, answer.body.next_cursor)} />
      </Card>
    </>
  );
  return show("Keys", UNDER, content);
}

function KeyRow({ visit, record }: { visit: Visit; record: Key }) {
  const path = `/console/keys/${record.id}`;
  const form = { csrf: visit.visitor.csrf };
  return (
    <tr>
      <td>
        {record.name}
        <span class="sub mono">
          {record.id} · …{record.last4}
        </span>
      </td>
      <td>{record.role}</td>
      <td title={record.scopes.join(" ")}>{record.scopes.length}</td>
      <td>
        <Status is={record.status} />
      </td>
      <td class="nowrap">{moment(record.created_at)}</td>
      <td class="nowrap">{record.expires_at ? moment(record.expires_at) : "Never"}</td>
      <td>
        {record.status !== "revoked" && (
          <div class="inline">
            <ActionButton
              {...form}
              once={visit.once()}
              action={`${path}/rotate`}
              label="Rotate"
              about={`Rotate ${record.name}`}
            />
            <ActionButton
              {...form}
              once={visit.once()}
              action={`${path}/revoke`}
              label="Revoke"
              about={`Revoke ${record.name}`}
              danger
            />
          </div>
        )}
      </td>
    </tr>
  );
}

function newPage(visit: Visit, draft: Draft, status = 200): Shown {
  const content = (
    <>
      <Head title="Mint a key" />
      <Problems draft={draft} />
      <Card>
        <Form action="/console/keys" csrf={visit.visitor.csrf} once={visit.once()}>
          <TextField name="name" label="Name" required draft={draft} placeholder="Production proxy" />
          <div class="pair">
            <SelectField name="role" label="Role" required draft={draft} options={ROLES} />
            <TextField
              name="expires_at"
              label="Expires at"
              draft={draft}
              placeholder="2027-01-01T00:00:00Z"
            />
          </div>
          <TextField
            name="scopes"
            label="Scopes"
            draft={draft}
            placeholder="decisions:evaluate runs:write"
            hint="Left empty: all that the role may use."
          />
          <div class="inline">
            <button class="primary" type="submit">
              Mint key
            </button>
            <a class="button" href={UNDER}>
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>
  );
  return show("Mint a key", UNDER, content, status);
}

export async function newKey(visit: Visit): Promise<Shown> {
  return newPage(visit, BLANK);
}

function shownOnce(title: string, key: string): Shown {
  const content = (
    <>
      <Head title={title} />
      <Secret title="The key" value={key}>
        Copy it now: it is shown this once, and kept nowhere in readable form.
      </Secret>
      <p>
        <a href={UNDER}>Back to the keys</a>
      </p>
    </>
  );
  return show(title, UNDER, content, 201);
}

export function mintKey(visit: Visit, ask: Ask): Promise<Shown> {
  const body = bodyOf(ask.form, { name: "text", role: "text", scopes: "list", expires_at: "text" });
  return submit(
    visit,
    ask,
    { method: "POST", path: `${visit.org}/keys`, body },
    (minted) => shownOnce("Key minted", (minted as { key: string }).key),
    (draft, status) => newPage(visit, draft, status),
  );
}

export async function rotateKey(visit: Visit, ask: Ask): Promise<Shown> {
  const path = `${visit.org}/keys/${ask.params["id"]}/rotate`;
  const answer = await visit.api.send<{ key: string }>(
    "POST",
    path,
    {},
    ask.form.get("_once") ?? visit.once(),
  );
  return answer.body === null ? refusedPage(answer, UNDER) : shownOnce("Key rotated", answer.body.key);
}

export function revokeKey(visit: Visit, ask: Ask): Promise<Shown> {
  return act(visit, ask, ["DELETE", `${visit.org}/keys/${ask.params["id"]}`, null], [UNDER, "revoked"]);
}
