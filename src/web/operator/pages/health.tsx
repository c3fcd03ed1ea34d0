import type { OrgCallsTop, OverviewEntry } from "../../../contract/resources/admin-overview.ts";
import { count } from "../../console/view/format.ts";
import { Card, type Fact, Facts, Head } from "../../console/view/parts.tsx";
import { type Column, Table } from "../../console/view/table.tsx";
import { type ListOf, show, type PageResponse } from "../../console/visit.ts";
import { isWell } from "../../deep-health.ts";
import type { MetricSums } from "../../metrics.ts";
import { PartBadge } from "../platform-state.tsx";
import type { OperatorVisit } from "../visit.ts";

const UNDER = "/operator/health";

/** The metrics that an operator looks at first, by name. */
const SHOWN: readonly (readonly [metric: keyof MetricSums, title: string])[] = [
  ["svc_due_oldest_seconds", "Oldest due work, in seconds"],
  ["svc_export_lag_seconds", "Exports behind, in seconds"],
  ["svc_holds_open", "Open reservations"],
  ["svc_runs_total", "Runs"],
  ["svc_archive_failures_total", "Failed reads and writes of the archive"],
  ["svc_webhook_failing", "Webhooks whose receivers fail"],
  ["svc_unpriced_total", "Runs without a price"],
  ["svc_ungoverned_calls_total", "Calls that passed ungoverned"],
  ["svc_unsettled_calls_total", "Calls whose runs were lost"],
];

type Overview = ListOf<OverviewEntry> & {
  readonly unavailable_regions: readonly string[];
  readonly svc_org_calls_top: OrgCallsTop;
};

const BUSIEST: readonly Column<OrgCallsTop[number]>[] = [
  { title: "Organization", cell: ({ org_id }) => <a href={`/operator/orgs/${org_id}`}>{org_id}</a> },
  { title: "Calls", kind: "number", cell: ({ calls }) => count(calls) },
  { title: "Refused", kind: "number", cell: ({ refusals }) => count(refusals) },
  { title: "Errors", kind: "number", cell: ({ errors }) => count(errors) },
  { title: "Slowest", kind: "number", cell: ({ slowest_wait_ms }) => `${count(slowest_wait_ms)} ms` },
  { title: "CPU, about", kind: "number", cell: ({ cpu_ms }) => `${count(Math.round(cpu_ms))} ms` },
];

function Busiest({ of }: { of: OrgCallsTop }) {
  return of.length === 0 ? (
    <p class="note-line">No calls.</p>
  ) : (
    <Table label="Busiest organizations" columns={BUSIEST} rows={of} />
  );
}

export async function showHealth(visit: OperatorVisit): Promise<PageResponse> {
  const [health, metrics, failing] = await Promise.all([
    visit.health(),
    visit.metrics(),
    visit.api.get<Overview>("/v1/admin/overview?sort=-failing_webhooks&limit=200"),
  ]);
  const troubled = (failing.body?.data ?? []).filter(({ failing_webhooks }) => failing_webhooks > 0);
  const silent = failing.body?.unavailable_regions ?? [];
  const facts: Fact[] = [
    ["This region", visit.region],
    ["Database", <PartBadge is={failing.body === null ? "failing" : health.database} />],
    ["Archive", <PartBadge is={health.archive} />],
    ["Objects", <PartBadge is={health.object} />],
    ["Regions that do not answer", silent.length === 0 ? "none" : silent.join(", ")],
    ["Organizations with failing webhooks", count(troubled.length)],
  ];
  const content = (
    <>
      <Head title="Health" about="How the platform is, as of now." />
      <Card title="Standing">
        <Facts of={facts} />
      </Card>
      <Card
        title="Busiest organizations of the last minute"
        note={<a href="/operator?sort=-calls_per_minute">All</a>}
        bare
      >
        <Busiest of={failing.body?.svc_org_calls_top ?? []} />
      </Card>
      <Card title="Metrics" note={<a href="/metrics">All of them, for Prometheus</a>}>
        <Facts
          of={SHOWN.map(([metric, title]): Fact => {
            const value = metrics?.[metric];
            return [title, value === undefined ? "not read" : count(Math.round(value))];
          })}
        />
      </Card>
    </>
  );
  return show("Health", UNDER, content, isWell(health) ? 200 : 503);
}
