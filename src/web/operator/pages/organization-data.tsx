import type { Child } from "hono/jsx";
import { DAY_MS } from "../../../contract/durations.ts";
import type { Org } from "../../../contract/resources/orgs.ts";
import type { Residency } from "../../../contract/resources/residency.ts";
import type { DeepHealth } from "../../deep-health.ts";
import { submit } from "../../console/page/act.ts";
import { refusedPage, unreadPage } from "../../console/page/refusal-page.tsx";
import { BLANK, bodyOf, type Field, type FormValues, refusedDraft } from "../../console/view/field.ts";
import { ActionButton, Fields, Form, Problems } from "../../console/view/form.tsx";
import { formatMoment } from "../../console/view/format.ts";
import { Notice, noticeAt } from "../../console/view/notice.tsx";
import { Card, type Fact, Facts, Head, Status } from "../../console/view/parts.tsx";
import { type Answer, type PageRequest, formGuardOf, show, type PageResponse } from "../../console/visit.ts";
import { PartBadge } from "../platform-state.tsx";
import type { OperatorVisit } from "../visit.ts";

/** Backup, restore and move of an organization. Each shows what to check first, and asks for the organization's name. */

const UNDER = "/operator";
const RESTORED_DAYS = 30;

/** The state of the organization before anything is done with it. */
interface OrgState {
  readonly org: Org;
  readonly health: DeepHealth;
  readonly residency: Answer<Residency>;
  /** The regions that it can move to. */
  readonly others: readonly string[];
  readonly nowMs: number;
}

interface DataTask {
  readonly title: string;
  readonly about: string;
  readonly act: string;
  readonly checks: (known: OrgState) => readonly Fact[];
  readonly fields: (known: OrgState) => readonly Field[];
}

const WORKS = {
  backup: {
    title: "Backup",
    about:
      "A signed file of everything that the organization owns, as of one moment. It has digests of keys and encrypted secrets, so keep it as safe as the database. The organization's audit trail records it.",
    act: "Download the backup",
    checks: ({ org, health }) => [
      ["Made in", org.home_region],
      ["Archive of this region", <PartBadge is={health.archive} />],
    ],
    fields: () => [],
  },
  restore: {
    title: "Restore",
    about:
      "The organization becomes what it was at a moment. What happened since is lost, also in its audit trail; the platform's trail records the restoration. It is suspended until it is resumed.",
    act: "Restore",
    checks: ({ org, nowMs }) => [
      ["Status", <Status is={org.status} />],
      [
        "First",
        org.status === "suspended"
          ? "Its calls are refused already. Download a backup of what is there now."
          : "Suspend it, so that no call comes in between, and download a backup of what is there now.",
      ],
      ["Earliest moment", formatMoment(new Date(nowMs - RESTORED_DAYS * DAY_MS).toISOString())],
    ],
    fields: () => [{ name: "at", label: "Moment, in UTC", kind: "moment", required: true }],
  },
  move: {
    title: "Move to another region",
    about:
      "Its writes wait for about a second while it is copied; reads go on. The copy is verified before the organization exists there. If it fails, the organization is whole in one of the regions: send the form again.",
    act: "Move",
    checks: ({ org, residency }) => [
      ["Home region", org.home_region],
      ["Residency rule", residencyOf(residency)],
    ],
    fields: ({ others }) => [
      {
        name: "to",
        label: "New home region",
        kind: "choice",
        required: true,
        options: others.map((region) => [region, region]),
      },
      {
        name: "archive_copied",
        label: "Its files in the archive were copied to the other region's bucket",
        kind: "flag",
        hint: "If not, its archived runs are copied with it.",
      },
    ],
  },
} as const satisfies Record<string, DataTask>;

type WorkName = keyof typeof WORKS;

function residencyOf({ body, error }: Answer<Residency>): Child {
  if (body === null) return `Not read: ${error?.message ?? "the error is on our side."}`;
  return body.regions === null ? "Allows every region" : `Allows ${body.regions.join(", ")} only`;
}

const CONFIRM: Field = {
  name: "confirm",
  label: "Type the name or the id of the organization",
  kind: "text",
  required: true,
  inPath: true,
};

interface RefusedForm {
  readonly work: WorkName;
  readonly draft: FormValues;
  readonly status: number;
}

const pathOf = (org: Pick<Org, "id">) => `${UNDER}/orgs/${org.id}/data`;

async function known(visit: OperatorVisit, ask: PageRequest): Promise<OrgState | PageResponse> {
  const id = encodeURIComponent(ask.params["id"] ?? "");
  const answer = await visit.api.get<Org>(`/v1/admin/orgs/${id}`);
  if (answer.body === null) return unreadPage(answer, UNDER, UNDER);
  const org = answer.body;
  const [health, residency] = await Promise.all([
    visit.health(),
    visit.api.get<Residency>(`/v1/orgs/${id}/residency`),
  ]);
  const others = visit.regions.filter((region) => region !== org.home_region);
  return { org, health, residency, others, nowMs: visit.nowMs };
}

export async function showOrganizationData(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const found = await known(visit, ask);
  return "org" in found ? dataPage(visit, ask, found, null) : found;
}

function dataPage(
  visit: OperatorVisit,
  ask: PageRequest,
  found: OrgState,
  refused: RefusedForm | null,
): PageResponse {
  const { org } = found;
  const title = "Backup, restore and move";
  const content = (
    <>
      <Head
        title={title}
        about={
          <>
            {org.name} <span class="mono">{org.id}</span>
          </>
        }
      >
        <a class="button" href={`${UNDER}/orgs/${org.id}`}>
          Back to the organization
        </a>
      </Head>
      <Notice ask={ask} />
      <WorkCard name="backup" visit={visit} found={found} refused={refused} />
      <WorkCard name="restore" visit={visit} found={found} refused={refused} />
      {found.others.length === 0 ? (
        <Card title={WORKS.move.title}>
          <p class="quiet">
            There is no other region. <code>SVC_REGIONS</code> names them.
          </p>
        </Card>
      ) : (
        <WorkCard name="move" visit={visit} found={found} refused={refused}>
          <ActionButton
            action={`${UNDER}/orgs/${org.id}/stay`}
            guard={formGuardOf(visit)}
            label="Give up a move"
            about={`Give up the move of ${org.name}`}
            confirm="A move that has not reached the other region ends, and the organization goes on where it was."
          />
        </WorkCard>
      )}
    </>
  );
  return show(title, UNDER, content, refused?.status ?? 200);
}

function WorkCard(props: {
  readonly name: WorkName;
  readonly visit: OperatorVisit;
  readonly found: OrgState;
  readonly refused: RefusedForm | null;
  readonly children?: Child;
}) {
  const { name, visit, found, refused } = props;
  const work: DataTask = WORKS[name];
  const draft = refused?.work === name ? refused.draft : BLANK;
  const fields = [...work.fields(found), CONFIRM];
  return (
    <Card title={work.title}>
      <Problems of={fields} draft={draft} scope={name} />
      <p class="quiet">{work.about}</p>
      <Facts of={work.checks(found)} />
      <Form action={`${UNDER}/orgs/${found.org.id}/${name}`} guard={formGuardOf(visit)}>
        <Fields of={fields} draft={draft} scope={name} />
        <div>
          <button class={name === "backup" ? "primary" : "danger"} type="submit">
            {work.act}
          </button>
        </div>
      </Form>
      {props.children}
    </Card>
  );
}

type TaskRun = (
  found: OrgState,
  again: (draft: FormValues, answer: { status: number }) => PageResponse,
) => Promise<PageResponse | Response>;

/** Does the work if the organization's name or id was typed. Whatever is refused is shown in its form. */
async function confirmed(
  visit: OperatorVisit,
  ask: PageRequest,
  work: WorkName,
  doing: TaskRun,
): Promise<PageResponse | Response> {
  const found = await known(visit, ask);
  if (!("org" in found)) return found;
  const again = (draft: FormValues, { status }: { status: number }) =>
    dataPage(visit, ask, found, { work, draft, status });
  const { name, id } = found.org;
  const typed = ask.form.get(CONFIRM.name)?.trim() ?? "";
  if (typed === name || typed === id) return doing(found, again);
  const errors = { [CONFIRM.name]: `must be ${name} or ${id}. Nothing was done` };
  return again({ values: Object.fromEntries(ask.form), errors, problem: null }, { status: 422 });
}

export function backupOrganization(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse | Response> {
  return confirmed(visit, ask, "backup", async ({ org }, again) => {
    const answer = await visit.download(`/v1/admin/orgs/${org.id}/backup`);
    return answer instanceof Response ? answer : again(refusedDraft(ask.form, answer, []), answer);
  });
}

export function restoreOrganization(
  visit: OperatorVisit,
  ask: PageRequest,
): Promise<PageResponse | Response> {
  return confirmed(visit, ask, "restore", (found, again) => {
    const { org } = found;
    const fields = WORKS.restore.fields();
    return submit(visit, ask, {
      request: { method: "POST", path: `/v1/admin/orgs/${org.id}/restore`, body: bodyOf(ask.form, fields) },
      fields,
      done: (body) => restoredPage(org, body as { restored_to: string; undo_bookmark: string }),
      again,
    });
  });
}

/** The way back is in this answer only, and in the platform's audit trail. */
function restoredPage(
  org: Org,
  { restored_to, undo_bookmark }: { restored_to: string; undo_bookmark: string },
): PageResponse {
  const content = (
    <>
      <Head title={`${org.name} was restored`} about="It is suspended. Look at it, then resume it." />
      <Card>
        <Facts
          of={[
            ["To", formatMoment(restored_to)],
            ["The state before, as the platform names it", <code>{undo_bookmark}</code>],
          ]}
        />
      </Card>
      <p>
        <a href={`${UNDER}/orgs/${org.id}`}>Go to the organization</a>
      </p>
    </>
  );
  return show(`${org.name} was restored`, UNDER, content);
}

export function moveOrganization(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse | Response> {
  return confirmed(visit, ask, "move", (found, again) => {
    const { org } = found;
    const fields = WORKS.move.fields(found);
    return submit(visit, ask, {
      request: { method: "POST", path: `/v1/admin/orgs/${org.id}/move`, body: bodyOf(ask.form, fields) },
      fields,
      done: () => noticeAt(pathOf(org), "moved"),
      again,
    });
  });
}

export function stayOrganization(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const id = encodeURIComponent(ask.params["id"] ?? "");
  const path = pathOf({ id });
  return submit(visit, ask, {
    request: { method: "DELETE", path: `/v1/admin/orgs/${id}/move`, body: null },
    fields: [],
    done: () => noticeAt(path, "stayed"),
    again: (_draft, answer) => refusedPage(answer, UNDER, path),
  });
}
