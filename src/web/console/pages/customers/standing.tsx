import type { Child } from "hono/jsx";
import type { CreditPack } from "../../../../contract/resources/credit-packs.ts";
import type { CustomerStanding } from "../../../../contract/resources/customers.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { formatEnd, formatMoment } from "../../view/format.ts";
import { runsChargedTo } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Status, UsedOf } from "../../view/parts.tsx";
import { Rows } from "../../view/rows.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type Answer, type ListOf, hasRole, type Visit } from "../../visit.ts";
import { OverBy, passedLimitNotice } from "./passed-limit.tsx";

type Limit = CustomerStanding["limits"][number];

const limits = (customer_id: string): readonly Column<Limit>[] => [
  {
    title: "Limit",
    cell: ({ id, period }) => (
      <>
        <a href={`/console/customer-limits/${encodeURIComponent(id)}`}>
          {period === "total" ? "In total" : `Per ${period}`}
        </a>
        <code class="sub">{id}</code>
      </>
    ),
  },
  {
    title: "Used",
    kind: "meter",
    cell: (row) => <UsedOf spent={row.spent_usd} held={row.reserved_usd} limit={row.limit_usd} />,
  },
  {
    title: "Spent",
    kind: "number",
    cell: (row) => (
      <>
        <a href={runsChargedTo(row.id, row, { customer_id })}>
          <Usd of={row.spent_usd} />
        </a>
        <OverBy of={row} />
      </>
    ),
  },
  { title: "Reserved", kind: "number", cell: ({ reserved_usd }) => <Usd of={reserved_usd} /> },
  { title: "Left", kind: "number", cell: ({ available_usd }) => <Usd of={available_usd} /> },
  { title: "Of", kind: "number", cell: ({ limit_usd }) => <Usd of={limit_usd} /> },
  { title: "Resets", kind: "moment", cell: ({ resets_at }) => formatEnd(resets_at) },
];

/** The limits of a customer, and why one of them is passed. */
export function limitsCard(visit: Visit, of: CustomerStanding): Child {
  const mayWrite = hasRole(visit, "admin");
  const { customer_id } = of;
  const passed = of.limits.map((limit) => passedLimitNotice(limit, { customer_id }));
  return (
    <Card title="Limits" note={mayWrite && <a href="/console/customer-limits/new">Limit a customer</a>} bare>
      {of.limits.length === 0 ? (
        <p class="note-line">No limit applies to this customer.</p>
      ) : (
        <Table label="Limits" columns={limits(customer_id)} rows={of.limits} />
      )}
      {passed.some((notice) => notice !== null) && <div class="body">{passed}</div>}
    </Card>
  );
}

const PACKS: readonly Column<CreditPack>[] = [
  {
    title: "Pack",
    cell: ({ id, priority }) => (
      <>
        <code>{id}</code>
        <span class="sub">Priority {priority}</span>
      </>
    ),
  },
  {
    title: "Used",
    kind: "meter",
    cell: (pack) => <UsedOf spent={pack.spent_usd} held={pack.reserved_usd} limit={pack.amount_usd} />,
  },
  {
    title: "Left",
    kind: "number",
    cell: ({ id, created_at, remaining_usd }) => (
      <a href={runsChargedTo(id, { period_start: created_at })}>
        <Usd of={remaining_usd} />
      </a>
    ),
  },
  { title: "Of", kind: "number", cell: ({ amount_usd }) => <Usd of={amount_usd} /> },
  { title: "State", cell: ({ status }) => <Status is={status} /> },
  { title: "Expires", kind: "moment", cell: ({ expires_at }) => formatEnd(expires_at) },
];

/** A change of a pack's balance. */
interface LimitLine {
  readonly at: string;
  readonly pack: string;
  readonly what: string;
  readonly run: string | null;
  readonly amount: string;
}

const ENTRIES: readonly Column<LimitLine>[] = [
  {
    title: "What",
    cell: ({ what, run }) =>
      run === null ? what : <a href={`/console/runs/${encodeURIComponent(run)}`}>{what}</a>,
  },
  { title: "At", kind: "moment", cell: ({ at }) => formatMoment(at) },
  { title: "Pack", cell: ({ pack }) => <code>{pack}</code> },
  { title: "Amount", kind: "number", cell: ({ amount }) => <Usd of={amount} /> },
];

/** Grants, voids, and what the latest runs took. */
function entriesOf(packs: readonly CreditPack[], runs: readonly RunResource[]): LimitLine[] {
  const own = packs.flatMap(({ id, created_at, voided_at, amount_usd }): LimitLine[] => [
    { at: created_at, pack: id, what: "Granted", run: null, amount: amount_usd },
    ...(voided_at === null
      ? []
      : [{ at: voided_at, pack: id, what: "Voided: what was left is lost", run: null, amount: "0.00" }]),
  ]);
  const taken = runs.flatMap(({ id, recorded_at, charges, model }) =>
    (charges ?? []).flatMap(({ kind, id: pack, amount_usd: amount }): LimitLine[] =>
      kind === "credit_pack" && amount !== undefined
        ? [{ at: recorded_at, pack, what: `Run with ${model}`, run: id, amount: `-${amount}` }]
        : [],
    ),
  );
  return [...own, ...taken].toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

export function PacksCard(props: {
  readonly customerId: string;
  readonly packs: Answer<ListOf<CreditPack>>;
  readonly runs: readonly RunResource[];
  readonly mayWrite: boolean;
}) {
  const { packs, runs } = props;
  const granted = packs.body?.data ?? [];
  const grant = props.mayWrite && (
    <a href={`/console/packs/new?${new URLSearchParams({ customer_id: props.customerId })}`}>Grant credits</a>
  );
  return (
    <>
      <Card title="Credit packs" note={grant} bare>
        <Rows of={packs} none="No credits. Runs of this customer are not checked against any.">
          {(rows) => <Table label="Credit packs" columns={PACKS} rows={rows} />}
        </Rows>
      </Card>
      {granted.length > 0 && (
        <div id="ledger">
          <Card title="Ledger of the packs" note={`With what the last ${runs.length} runs took`} bare>
            <Table label="Ledger" columns={ENTRIES} rows={entriesOf(granted, runs)} />
          </Card>
        </div>
      )}
    </>
  );
}
