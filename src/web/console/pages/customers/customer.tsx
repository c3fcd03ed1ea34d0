import type { CreditPack } from "../../../../contract/resources/credit-packs.ts";
import type { customerDetail } from "../../../../contract/resources/customers.ts";
import type { KeptRefusal } from "../../../../contract/resources/refusals.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import type * as z from "zod";
import { Later } from "../../../later.tsx";
import { submit } from "../../page/act.ts";
import { refusedPage, unreadPage } from "../../page/refusal-page.tsx";
import { readNames } from "../../names.ts";
import { BLANK, bodyOf, type FormValues, type Field } from "../../view/field.ts";
import { Fields, Form, Problems } from "../../view/form.tsx";
import { count, day, formatMoment } from "../../view/format.ts";
import { customerAt, refusalsAt, runsAt, runsIn } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Notice, noticeAt } from "../../view/notice.tsx";
import { Card, Head, secretPage, Tile, Tiles } from "../../view/parts.tsx";
import { daysIn, type Range, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { Rows } from "../../view/rows.tsx";
import { Unread } from "../../view/unread.tsx";
import {
  type PageRequest,
  type ListOf,
  hasRole,
  type Route,
  formGuardOf,
  show,
  type PageResponse,
  type Visit,
} from "../../visit.ts";
import { RefusalTable } from "../refusals.tsx";
import { ByModel } from "../runs/by-model.tsx";
import { RunTable } from "../runs/table.tsx";
import { readTrend, TrendCard } from "./customer-trend.tsx";
import { UNDER } from "./customers.tsx";
import { REVENUE, RevenueCard, RevenueTiles } from "./revenue.tsx";
import { limitsCard, PacksCard } from "./standing.tsx";

type Detail = z.output<typeof customerDetail>;

const RUNS = 20;
const REFUSALS = 5;
const MODELS = 6;

const TTL: Field = {
  name: "ttl_seconds",
  label: "Works for",
  kind: "integer",
  half: true,
  options: [
    ["3600", "1 hour"],
    ["900", "15 minutes"],
    ["86400", "1 day"],
  ],
};

export function showCustomer(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  return page(visit, ask, {}, 200);
}

/** The input of the form that was refused. */
interface Drafts {
  readonly token?: FormValues;
  readonly revenue?: FormValues;
}

async function page(visit: Visit, ask: PageRequest, drafts: Drafts, status: number): Promise<PageResponse> {
  const id = ask.params["customer_id"] ?? "";
  const range = rangeOf(ask.query, visit.nowMs);
  const { from, to } = range;
  const standing = await visit.api.get<Detail>(`${apiOf(visit, id)}?${new URLSearchParams({ from, to })}`);
  const customer = standing.body;
  if (customer === null) return unreadPage(standing, UNDER, UNDER);
  const content = (
    <>
      <Head
        title={customer.name ?? id}
        about={
          <>
            {customer.name !== null && <code>{id}</code>} What this customer spent, and what is left.{" "}
            <a href={runsAt({ customer_id: id }, range)}>Most expensive runs of {daysIn(range)}</a>
          </>
        }
      >
        <RangePicker range={range} path={customerAt(id)} keep={{}} />
      </Head>
      <Notice ask={ask} />
      <Standing of={customer} range={range} />
      <Later read={() => readSpent(visit, id, range)} />
      {limitsCard(visit, customer)}
      <Later read={() => readLatest(visit, id)} />
      {hasRole(visit, "admin") && (
        <>
          <RevenueCard visit={visit} of={customer} draft={drafts.revenue ?? null} />
          <TokenCard visit={visit} id={id} draft={drafts.token ?? BLANK} />
        </>
      )}
    </>
  );
  return show(id, UNDER, content, status);
}

const apiOf = (visit: Visit, id: string): string => `${visit.org}/customers/${encodeURIComponent(id)}`;

/** What the customer spent in the range, by day and by model. */
async function readSpent(visit: Visit, id: string, range: Range) {
  const { from, to } = range;
  const split = new URLSearchParams({ customer_id: id, group_by: "model", limit: String(MODELS), from, to });
  const [trend, models] = await Promise.all([
    readTrend(visit, id, range),
    visit.api.get<UsageReport>(`${visit.org}/usage/report?${split}`),
  ]);
  const spent = (models.body?.data ?? []).map((row) => ({ ...row, model: String(row["model"]) }));
  return (
    <>
      <TrendCard id={id} range={range} trend={trend} />
      {models.body === null ? (
        <Card title="By model" bare>
          <Unread of={models} />
        </Card>
      ) : (
        spent.length > 0 && (
          <ByModel
            of={spent}
            models={models.body.groups}
            note={daysIn(range)}
            hrefOf={(model) => runsAt({ customer_id: id, model }, range)}
          />
        )
      )}
    </>
  );
}

/** The customer's packs, and its latest refusals and runs. */
async function readLatest(visit: Visit, id: string) {
  const at = encodeURIComponent(id);
  const [packs, runs, refusals] = await Promise.all([
    visit.api.get<ListOf<CreditPack>>(`${visit.org}/credit-packs?customer_id=${at}&limit=50`),
    visit.api.get<ListOf<RunResource>>(`/v1/runs?customer_id=${at}&limit=${RUNS}`),
    visit.api.get<ListOf<KeptRefusal>>(`${visit.org}/refusals?customer_id=${at}&limit=${REFUSALS}`),
  ]);
  const refused = refusals.body?.data ?? [];
  const nameOf = await readNames(
    visit,
    refused.flatMap(({ limit, key_id }) => [limit, key_id]),
  );
  return (
    <>
      <PacksCard
        customerId={id}
        packs={packs}
        runs={runs.body?.data ?? []}
        mayWrite={hasRole(visit, "admin")}
      />
      <Card title="Refused" note={<a href={refusalsAt({ customer_id: id })}>All refusals</a>} bare>
        <Rows of={refusals} none="Nothing was refused lately.">
          {(rows) => <RefusalTable rows={rows} nameOf={nameOf} />}
        </Rows>
      </Card>
      <Card
        title="Runs"
        note={<a href={`/console/runs?${new URLSearchParams({ customer_id: id })}`}>All runs</a>}
        bare
      >
        <Rows of={runs} none="No runs.">
          {(rows) => <RunTable rows={rows} />}
        </Rows>
      </Card>
    </>
  );
}

const PERIODS = { day: "Today", week: "This week", month: "This month" } as const;

/** The amount that can be spent before the tightest limit refuses. */
function LeftTile({ of }: { of: Detail }) {
  const [tightest] = of.limits.toSorted(
    (one, other) => Number(one.available_usd) - Number(other.available_usd),
  );
  if (tightest === undefined) return null;
  return (
    <Tile label="Left of its limit" value={<Usd of={tightest.available_usd} />}>
      of <Usd of={tightest.limit_usd} />
      {tightest.period === "total" ? " in total" : ` a ${tightest.period}`}
      {tightest.resets_at !== null && `, resets ${day(tightest.resets_at)}`}
    </Tile>
  );
}

function Standing({ of, range }: { of: Detail; range: Range }) {
  return (
    <Tiles>
      {of.spent.map((spent) => (
        <Tile
          label={PERIODS[spent.period]}
          value={
            <a href={runsIn({ customer_id: of.customer_id }, spent)}>
              <Usd of={spent.spent_usd} />
            </a>
          }
        >
          <a href={runsIn({ customer_id: of.customer_id }, spent)}>
            {count(spent.runs)} {spent.runs === 1 ? "run" : "runs"}
          </a>
        </Tile>
      ))}
      <RevenueTiles of={of} range={range} />
      <LeftTile of={of} />
      {of.credits && (
        <Tile
          label="Credits left"
          value={
            <a href="#ledger">
              <Usd of={of.credits.remaining_usd} />
            </a>
          }
        >
          in live packs
        </Tile>
      )}
      {of.last_run ? (
        <Tile
          label="Last run"
          value={
            <a href={`/console/runs/${encodeURIComponent(of.last_run.id)}`}>
              <Usd of={of.last_run.cost_usd} />
            </a>
          }
        >
          {formatMoment(of.last_run.started_at)}
        </Tile>
      ) : (
        <Tile label="Last run" value="–">
          {of.last_run_on ?? "None"}
        </Tile>
      )}
    </Tiles>
  );
}

function TokenCard({ visit, id, draft }: { visit: Visit; id: string; draft: FormValues }) {
  return (
    <Card title="Token for its portal" note="Reads this customer’s standing and usage, and nothing else.">
      <div class="stack">
        <Problems of={[TTL]} draft={draft} />
        <Form action={`${customerAt(id)}/tokens`} guard={formGuardOf(visit)}>
          <Fields of={[TTL]} draft={draft} />
          <div>
            <button type="submit">Create a token</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export const saveCustomer: Route = [
  "POST",
  `${UNDER}/:customer_id`,
  (visit, ask) => {
    const id = ask.params["customer_id"] ?? "";
    return submit(visit, ask, {
      request: {
        method: "PUT",
        path: apiOf(visit, id),
        body: bodyOf(ask.form, REVENUE),
      },
      fields: REVENUE,
      done: () => noticeAt(customerAt(id), "saved"),
      again: (draft, answer) =>
        answer.status === 422
          ? page(visit, ask, { revenue: draft }, answer.status)
          : refusedPage(answer, UNDER, customerAt(id)),
    });
  },
];

/** A token is shown in the answer to the form, and nowhere else. */
export const createToken: Route = [
  "POST",
  `${UNDER}/:customer_id/tokens`,
  (visit, ask) => {
    const id = ask.params["customer_id"] ?? "";
    return submit(visit, ask, {
      request: {
        method: "POST",
        path: `${apiOf(visit, id)}/tokens`,
        body: bodyOf(ask.form, [TTL]),
      },
      fields: [TTL],
      done(made) {
        const { token, expires_at } = made as { token: string; expires_at: string };
        const about = `Copy it now: no other page shows it. It works until ${formatMoment(expires_at)}.`;
        const title = "Token created";
        return show(title, UNDER, secretPage(title, [id, token, about], [customerAt(id), "Back"]), 201);
      },
      again: (draft, answer) =>
        answer.status === 403
          ? refusedPage(answer, UNDER, customerAt(id))
          : page(visit, ask, { token: draft }, answer.status),
    });
  },
];
