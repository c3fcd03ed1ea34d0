import type { Resource } from "../page/resource.ts";
import type { ApprovalResource } from "../../../contract/resources/approvals.ts";
import { SCOPE_FIELDS } from "../../../contract/scopes.ts";
import { moment } from "../view/format.ts";
import { Status } from "../view/parts.tsx";

const decide = (name: "approve" | "deny", label: string, notice: "approved" | "denied") => ({
  name,
  label,
  notice,
  method: "POST" as const,
  api: `/${name}`,
  inList: true,
  isFor: ({ status }: ApprovalResource) => status === "pending",
});

/** What is approved, but for what it is named by. */
function detailsOf({ metadata, metadata_omitted: isLong, ...attempt }: ApprovalResource["attempt"]) {
  const names = SCOPE_FIELDS.map((field) => [wordsOf(field), attempt[field]] as const);
  const details = [
    ["cost", `$${attempt.cost_usd}`],
    ["tokens", `${attempt.input_tokens} in, ${attempt.output_tokens} out`],
    ["variant", attempt.variant],
    ...names,
    ["chain", attempt.chain?.chain_id ?? null],
    ["metadata", isLong ? "too long to be shown" : metadata && JSON.stringify(metadata)],
  ] as const;
  return details.filter(([, value]) => value !== null);
}

function wordsOf(field: string): string {
  return field.slice(0, -"_id".length).replaceAll("_", " ");
}

export const approvals: Resource<ApprovalResource> = {
  path: "/console/approvals",
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
  nameOf: ({ attempted }) => attempted,
  subOf: ({ attempt }) =>
    detailsOf(attempt).map(([name, value]) => <span class="sub">{`${name}: ${value}`}</span>),
  columns: [
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
    { title: "Requested by", cell: ({ requested_by }) => <code>{requested_by}</code> },
    {
      title: "Requested",
      kind: "moment",
      cell: ({ requested_at, expires_at }) => (
        <>
          {moment(requested_at)}
          <span class="sub">until {moment(expires_at)}</span>
        </>
      ),
    },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
  ],
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
