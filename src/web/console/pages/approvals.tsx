import type { Action, Resource } from "../page/resource.ts";
import type { ApprovalResource } from "../../../contract/resources/approvals.ts";
import { SCOPE_FIELDS } from "../../../contract/scopes.ts";
import { type NameOf, readNames } from "../names.ts";
import type { Field } from "../view/field.ts";
import { count, formatMoment, toWords } from "../view/format.ts";
import { customerAt } from "../view/links.ts";
import { Usd } from "../view/money.tsx";
import { type Fact, Status } from "../view/parts.tsx";
import { Ref } from "../view/ref.tsx";
import type { Column } from "../view/table.tsx";
import type { Visit } from "../visit.ts";

const PATH = "/console/approvals";

const NOTE: Field = {
  name: "note",
  label: "Note",
  kind: "text",
  hint: "Why. It is kept with the approval and in the audit trail.",
};

const decide = (
  name: "approve" | "deny",
  label: string,
  notice: "approved" | "denied",
): Action<ApprovalResource> => ({
  name,
  label,
  notice,
  method: "POST",
  api: `/${name}`,
  inList: true,
  fields: [NOTE],
  isFor: ({ status }) => status === "pending",
});

const idsIn = ({ rule_id, requested_by, decided_by }: ApprovalResource) => [
  rule_id,
  requested_by,
  decided_by,
];

/** The purpose of the call: the customer, the workflow and the like, by the names that the caller gave. */
function namesOf(attempt: ApprovalResource["attempt"]): readonly Fact[] {
  return SCOPE_FIELDS.flatMap((field): Fact[] => {
    const name = attempt[field];
    if (name === null) return [];
    const title = toWords(field.slice(0, -"_id".length));
    return [[title, field === "customer_id" ? <a href={customerAt(name)}>{name}</a> : name]];
  });
}

const optional = (title: string, value: string | null): Fact[] => (value === null ? [] : [[title, value]]);

function factsOf(row: ApprovalResource, nameOf: NameOf): readonly Fact[] {
  const { attempt } = row;
  const { metadata, metadata_omitted: isLong } = attempt;
  return [
    ["State", <Status is={row.status} />],
    ["Model", attempt.model],
    ...optional("Action", attempt.action),
    ["Cost", <Usd of={attempt.cost_usd} />],
    ["Tokens", `${count(attempt.input_tokens)} in, ${count(attempt.output_tokens)} out`],
    ...namesOf(attempt),
    ...optional("Variant", attempt.variant),
    ...optional("Chain", attempt.chain?.chain_id ?? null),
    ["Held by", <Ref id={row.rule_id} nameOf={nameOf} />],
    ["Reason", row.reason],
    ["Requested by", <Ref id={row.requested_by} nameOf={nameOf} />],
    ["Requested", formatMoment(row.requested_at)],
    ["Can be decided until", formatMoment(row.expires_at)],
    ...(row.decided_by === null
      ? []
      : [
          ["Decided by", <Ref id={row.decided_by} nameOf={nameOf} />] as const,
          ["Decided", formatMoment(row.decided_at)] as const,
        ]),
    ...optional("Note", row.note),
    ...(row.used_at === null ? [] : [["Used", formatMoment(row.used_at)] as const]),
    ...(isLong ? [["Metadata", "Too long to be shown"] as const] : []),
    ...(metadata === null ? [] : [["Metadata", <pre>{JSON.stringify(metadata, null, 2)}</pre>] as const]),
  ];
}

async function moreColumns(
  visit: Visit,
  rows: readonly ApprovalResource[],
): Promise<readonly Column<ApprovalResource>[]> {
  const nameOf = await readNames(visit, rows.flatMap(idsIn));
  return [
    {
      title: "Why",
      cell: ({ reason, rule_id }) => (
        <>
          {reason}
          <span class="sub">
            <a href={`/console/policies/${rule_id}`}>The rule</a>
          </span>
        </>
      ),
    },
    { title: "Requested by", cell: ({ requested_by }) => <Ref id={requested_by} nameOf={nameOf} /> },
    {
      title: "Requested",
      kind: "moment",
      cell: ({ requested_at, expires_at }) => (
        <>
          {formatMoment(requested_at)}
          <span class="sub">until {formatMoment(expires_at)}</span>
        </>
      ),
    },
    {
      title: "State",
      cell: ({ status, note }) => (
        <>
          <Status is={status} />
          {note !== null && <span class="sub">{note}</span>}
        </>
      ),
    },
  ];
}

export const approvals: Resource<ApprovalResource> = {
  path: PATH,
  api: "approvals",
  title: "Approvals",
  about:
    "Runs that a policy blocked until someone approves them. An approval lets the same attempt through once.",
  one: "attempt",
  icon: "approvals",
  empty: [
    "No approvals yet",
    "When a rule with the effect “require approval” blocks a run, the request appears here.",
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ attempt }) => (attempt.action === null ? attempt.model : `${attempt.model}, ${attempt.action}`),
  subOf: ({ attempt }) =>
    namesOf(attempt).map(([title, name]) => (
      <span class="sub">
        {title}: {name}
      </span>
    )),
  columns: [
    {
      title: "Cost",
      kind: "number",
      cell: ({ attempt }) => (
        <>
          <Usd of={attempt.cost_usd} />
          <span class="sub">{count(attempt.input_tokens + attempt.output_tokens)} tokens</span>
        </>
      ),
    },
  ],
  moreColumns,
  idsIn,
  factsOf,
  filters: [
    {
      name: "status",
      title: "State",
      options: [
        ["", "Any"],
        ["pending", "Pending"],
        ["approved", "Approved"],
        ["denied", "Denied"],
        ["used", "Used"],
        ["expired", "Expired"],
      ],
    },
  ],
  actions: [decide("approve", "Approve", "approved"), decide("deny", "Deny", "denied")],
};
