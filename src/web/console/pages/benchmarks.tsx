import type { Child } from "hono/jsx";
import type {
  BenchmarkProfileResource,
  CohortReading,
  CohortResource,
} from "../../../contract/resources/benchmarks.ts";
import type { Setting, SettingsPage } from "../page/settings.tsx";
import { usd, toWords } from "../view/format.ts";
import { Card, Empty } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { Unread } from "../view/unread.tsx";
import type { ListOf, Visit } from "../visit.ts";

interface Row {
  readonly cohort: CohortResource;
  readonly reading: CohortReading | null;
  readonly refusal: string | null;
}

const profile: Setting<BenchmarkProfileResource> = {
  name: "profile",
  title: "Contributing",
  api: "benchmark-profile",
  method: "PUT",
  role: "admin",
  save: "Save",
  noteOf: (found) => (found?.counts_from ? `Effective from ${found.counts_from}` : null),
  fieldsOf: () => [
    {
      name: "contributing",
      label: "Contribute our figures to cohorts",
      kind: "flag",
      hint: "Optional. Cohorts show only percentiles over many organizations. A change takes effect next month.",
    },
  ],
};

const figure = (value: string | number | null | undefined) =>
  value === null || value === undefined
    ? "–"
    : typeof value === "string"
      ? usd(value)
      : value.toLocaleString("en-US");

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Cohort",
    cell: ({ cohort, refusal }) => (
      <>
        <strong>{cohort.name}</strong>
        <span class="sub">{refusal ?? toWords(cohort.metric)}</span>
      </>
    ),
  },
  { title: "You", kind: "number", cell: ({ reading }) => figure(reading?.own_value) },
  { title: "25th percentile", kind: "number", cell: ({ reading }) => figure(reading?.p25) },
  { title: "Median", kind: "number", cell: ({ reading }) => figure(reading?.p50) },
  { title: "75th percentile", kind: "number", cell: ({ reading }) => figure(reading?.p75) },
  { title: "Month", kind: "moment", cell: ({ reading }) => reading?.month ?? "–" },
];

/** Cohorts are in the database of the home region, and the console of another region cannot read it. */
async function cohorts({ api, homeElsewhere }: Visit): Promise<Child> {
  if (homeElsewhere !== null) {
    return (
      <Card title="Cohorts" bare>
        <Empty icon="benchmarks" title={`Cohorts are in ${homeElsewhere}`}>
          Your organization's home region is {homeElsewhere}. Sign in to the console there, or call the API
          with a key from any region.
        </Empty>
      </Card>
    );
  }
  const listed = await api.get<ListOf<CohortResource>>("/v1/benchmarks/cohorts?limit=20");
  const rows = await Promise.all(
    (listed.body?.data ?? []).map(async (cohort): Promise<Row> => {
      const { body, error } = await api.get<CohortReading>(`/v1/benchmarks/cohorts/${cohort.id}`);
      return { cohort, reading: body, refusal: error?.message ?? null };
    }),
  );
  return (
    <Card title="Cohorts" bare>
      {listed.body === null ? (
        <Unread of={listed} />
      ) : rows.length === 0 ? (
        <Empty icon="benchmarks" title="You are not in a cohort yet">
          Your provider groups similar organizations. When you are added to a group, its figures appear here
          next to yours.
        </Empty>
      ) : (
        <Table label="Cohorts" columns={COLUMNS} rows={rows} />
      )}
    </Card>
  );
}

export const benchmarks: SettingsPage = {
  path: "/console/benchmarks",
  title: "Benchmarks",
  about: "How your cost, tokens and runs compare with organizations like yours.",
  settings: [profile],
  below: cohorts,
};
