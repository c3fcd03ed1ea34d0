import type { ExplainedCheck, Explanation } from "../../../../contract/resources/explain.ts";
import { STATED_SCOPES } from "../../../../contract/scopes.ts";
import { formatUsd, parseUsd } from "../../../../domain/price/money.ts";
import type { NameOf } from "../../names.ts";
import { count, formatMoment, usd, toWords } from "../../view/format.ts";
import { customerAt, ownPageOf, pageOf, refusalsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Badge, Card, type Fact, Facts, type Tone } from "../../view/parts.tsx";
import { Ref } from "../../view/ref.tsx";
import { type Column, Table } from "../../view/table.tsx";

const TONES: Readonly<Record<ExplainedCheck["outcome"], Tone>> = {
  passed: "good",
  refused: "bad",
  skipped: "plain",
};

type Amount = ExplainedCheck["limit"];

function amountOf(amount: Amount) {
  if (amount === null) return <span class="quiet">–</span>;
  return typeof amount === "string" ? <Usd of={amount} /> : count(amount);
}

const COLUMNS: readonly Column<ExplainedCheck>[] = [
  {
    title: "Check",
    cell: ({ check, id, name }) => (
      <>
        {id === null ? <strong>{toWords(check)}</strong> : <a href={pageOf(id)}>{name ?? toWords(check)}</a>}
        <span class="sub">
          {id !== null && name !== null && `${toWords(check)} `}
          {id !== null && <code>{id}</code>}
        </span>
      </>
    ),
  },
  { title: "Outcome", cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{outcome}</Badge> },
  { title: "Why", cell: ({ why }) => (why.endsWith(" refused before it.") ? "Refused before it." : why) },
  { title: "Limit", kind: "number", cell: ({ limit }) => amountOf(limit) },
  { title: "Left", kind: "number", cell: Left },
  { title: "Resets", kind: "moment", cell: ({ resets_at }) => formatMoment(resets_at) },
];

/** A refusal keeps what was spent, but not what was reserved. */
function Left({ outcome, available, limit, spent }: ExplainedCheck) {
  const isKnown = available !== null || outcome !== "refused" || limit === null || spent === null;
  if (isKnown) return amountOf(available);
  return (
    <span title="Reservations of that time are not known">at most {amountOf(lessThan(limit, spent))}</span>
  );
}

function lessThan(limit: string | number, spent: string | number): Amount {
  if (typeof limit === "number" || typeof spent === "number") {
    return Math.max(0, Number(limit) - Number(spent));
  }
  const left = (parseUsd(limit) ?? 0n) - (parseUsd(spent) ?? 0n);
  return formatUsd(left > 0n ? left : 0n);
}

/** Every check of one call, in the order in which they are made. */
export function Checks({ of, nameOf: named }: { of: Explanation; nameOf: NameOf }) {
  const { outcome, checks } = of;
  const refusedBy = checks.find((check) => check.outcome === "refused");
  const title = outcome === "allowed" ? "It passes" : `Refused by ${nameOf(refusedBy, named)}`;
  return (
    <>
      <Card title={title} note={<Badge tone={outcome === "allowed" ? "good" : "bad"}>{outcome}</Badge>}>
        <Facts of={factsOf(of, named)} />
      </Card>
      <Card title="Every check, in order" bare>
        <Table label="Checks" columns={COLUMNS} rows={checks} />
      </Card>
    </>
  );
}

function nameOf(check: ExplainedCheck | undefined, named: NameOf): string {
  if (check === undefined) return "a rule that no longer exists";
  if (check.name !== null) return check.name;
  const { id } = check;
  const name = id !== null && ownPageOf(id) !== null ? named(id) : id;
  return name === null || name === id ? toWords(check.check).toLowerCase() : name;
}

function factsOf(of: Explanation, named: NameOf): Fact[] {
  const { refusal, refusals, at, amount_usd: amount, checks, subject, id } = of;
  const refusedBy = checks.find((check) => check.outcome === "refused");
  const kept: readonly (readonly [string, string | null | undefined])[] = [
    ["Model", refusal?.model],
    ...STATED_SCOPES.filter(({ kind }) => kind !== "customer").map(
      ({ kind, field }) => [toWords(kind), refusal?.[field]] as const,
    ),
    ["User", refusal?.user_id],
  ];
  return [
    ...(id === null ? [] : [[SUBJECTS[subject] ?? toWords(subject), <code>{id}</code>] as const]),
    ...(refusal === null || subject === "trace_id"
      ? []
      : [["Trace", <code>{refusal.trace_id}</code>] as const]),
    ["At", formatMoment(at)],
    ...(amount === null ? [] : [["Amount", usd(amount)] as const]),
    ...(refusedBy === undefined
      ? []
      : [
          [
            "Limit",
            refusedBy.id === null ? (
              toWords(refusedBy.check)
            ) : (
              <a href={pageOf(refusedBy.id)}>{nameOf(refusedBy, named)}</a>
            ),
          ] as const,
          ["Why", refusedBy.why] as const,
        ]),
    ...(refusal === null
      ? []
      : [
          [
            "Answer",
            <>
              <code>{refusal.status}</code> <code>{refusal.code}</code>
            </>,
          ] as const,
          ["Call", refusal.operation] as const,
          ["Decided", refusal.decided === "edge" ? "in the isolate" : "by the org’s object"] as const,
        ]),
    ...(refusal?.customer_id
      ? [["Customer", <a href={customerAt(refusal.customer_id)}>{refusal.customer_id}</a>] as const]
      : []),
    ...kept.flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
    ...(refusal?.key_id ? [["Key", <Ref id={refusal.key_id} nameOf={named} />] as const] : []),
    ...(refusals > 1
      ? [
          [
            "Refusals of this trace",
            <a href={refusalsAt({ trace_id: refusal?.trace_id ?? "" })}>{count(refusals)}</a>,
          ] as const,
        ]
      : []),
  ];
}

const SUBJECTS: Readonly<Record<string, string>> = {
  trace_id: "Trace",
  refusal_id: "Refusal",
  run_id: "Run",
  reservation_id: "Reservation",
};
