import type { Child } from "hono/jsx";
import type { Key } from "../../../../contract/resources/keys.ts";
import { DAY_MS } from "../../../../contract/durations.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { count, formatMoment } from "../../view/format.ts";
import { refusalsAt, runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Facts } from "../../view/parts.tsx";
import { dateOf } from "../../view/range.ts";
import type { Column } from "../../view/table.tsx";
import { UnreadFigure } from "../../view/unread.tsx";
import type { PageRequest, ListOf, Visit } from "../../visit.ts";

const DAYS = 30;
const MOST_KEYS = 1000;

const rangeAt = (nowMs: number) => ({
  from: dateOf(nowMs - (DAYS - 1) * DAY_MS),
  to: dateOf(nowMs + DAY_MS),
});

/** Reads the recent spend reported with each key, as a column of their list. */
export async function readKeySpend(visit: Visit): Promise<readonly Column<Key>[]> {
  const range = rangeAt(visit.nowMs);
  const report = new URLSearchParams({ group_by: "key_id", limit: String(MOST_KEYS), ...range });
  const answer = await visit.api.get<UsageReport>(`${visit.org}/usage/report?${report}`);
  const { body } = answer;
  const spent = new Map(body?.data.map((row) => [row["key_id"], row.cost_usd]));
  return [
    {
      title: `Spent in ${DAYS} days`,
      kind: "number",
      cell: ({ id }) =>
        body === null ? (
          <UnreadFigure of={answer} />
        ) : (
          <a href={runsAt({ key_id: id }, range)}>
            <Usd of={spent.get(id) ?? "0.00"} />
          </a>
        ),
    },
  ];
}

/** The recent spend reported with a key. */
export async function keyUse(visit: Visit, _ask: PageRequest, { id }: Key): Promise<Child> {
  const range = rangeAt(visit.nowMs);
  const report = new URLSearchParams({ key_id: id, group_by: "model", limit: "1", ...range });
  const [used, last] = await Promise.all([
    visit.api.get<UsageReport>(`${visit.org}/usage/report?${report}`),
    visit.api.get<ListOf<RunResource>>(`/v1/runs?${new URLSearchParams({ key_id: id, limit: "1" })}`),
  ]);
  const [run] = last.body?.data ?? [];
  return (
    <Card title="Use" note={`Runs of the last ${DAYS} days`}>
      <Facts
        of={[
          [
            "Spent",
            used.body === null ? (
              <UnreadFigure of={used} />
            ) : (
              <a href={runsAt({ key_id: id }, range)}>
                <Usd of={used.body.totals.cost_usd} />
              </a>
            ),
          ],
          ["Runs", used.body === null ? <UnreadFigure of={used} /> : count(used.body.totals.runs)],
          [
            "Last run",
            last.body === null ? (
              <UnreadFigure of={last} />
            ) : run === undefined ? (
              "None"
            ) : (
              <a href={`/console/runs/${encodeURIComponent(run.id)}`}>{formatMoment(run.recorded_at)}</a>
            ),
          ],
          ["Refused", <a href={refusalsAt({ key_id: id })}>Refusals of this key</a>],
        ]}
      />
    </Card>
  );
}
