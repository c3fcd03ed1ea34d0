import type { LimitInUse, LimitsInUse } from "../../../../contract/resources/limits.ts";
import { count, day, percent, usd, toWords } from "../../view/format.ts";
import { Meter } from "../../view/charts.tsx";
import { customerAt, pageOf, runsChargedTo } from "../../view/links.ts";
import { Badge, Card } from "../../view/parts.tsx";
import { Unread } from "../../view/unread.tsx";
import type { Answer, Visit } from "../../visit.ts";
import { type Outlook, compareUrgency } from "./outlook.ts";

const SHOWN = 10;

/** The limits that run out next, with the day by the forecast of what each of them counts. */
export function readRunsOut(visit: Visit): Promise<Answer<LimitsInUse>> {
  return visit.api.get<LimitsInUse>(`${visit.org}/limits?limit=${SHOWN}&forecast=true`);
}

export function RunsOutCard(props: {
  readonly of: Answer<LimitsInUse>;
  readonly mayCreate: boolean;
  readonly nowMs: number;
}) {
  const { of, mayCreate, nowMs } = props;
  const limits = compareUrgency(of.body?.data ?? [], nowMs);
  const all = of.body?.count ?? 0;
  const note = all > limits.length ? `The first ${limits.length} of ${count(all)}` : null;
  return (
    <Card title="What runs out next" note={note} bare>
      {of.body === null ? (
        <Unread of={of} />
      ) : limits.length === 0 ? (
        <p class="note-line">
          No limits yet. A budget is enforced before a run starts, so it cannot be overspent.
          {mayCreate && (
            <>
              {" "}
              <a href="/console/budgets/new">Create a budget</a>
            </>
          )}
        </p>
      ) : (
        <ol class="ranking">
          {limits.map(({ limit, outlook }) => (
            <LimitLine limit={limit} outlook={outlook} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function LimitLine({ limit, outlook }: { limit: LimitInUse; outlook: Outlook }) {
  const { used, limit: most, mode } = limit;
  const amount = typeof most === "string" ? usd(most) : count(most);
  return (
    <li>
      <span class="label">
        <a href={hrefOf(limit)} title={limit.id}>
          {nameOf(limit)}
        </a>
        <When limit={limit} outlook={outlook} />
      </span>
      <Meter spent={used - reservedPart(limit)} held={reservedPart(limit)} label={nameOf(limit)} />
      <span class="sub">
        {KINDS[limit.kind] ?? toWords(limit.kind)}: <a href={behind(limit)}>{percent(used)}</a> of {amount}
        {periodOf(limit)}
        {mode === "shadow" && ", shadow"}
        {limit.resets_at &&
          `, ${limit.kind === "credit_pack" ? "expires" : "resets"} ${day(limit.resets_at)}`}
      </span>
    </li>
  );
}

const reservedPart = ({ reserved, limit }: LimitInUse) =>
  Number(limit) > 0 ? Number(reserved) / Number(limit) : 0;

function When({ limit, outlook }: { limit: LimitInUse; outlook: Outlook }) {
  const { forecast } = limit;
  if (outlook.kind === "used_up") return <Badge tone="bad">used up</Badge>;
  if (outlook.kind === "forecast") {
    const early = forecast?.p90_date ? `, at high usage on ${day(forecast.p90_date)}` : "";
    return (
      <span class="number" title={`By the forecast, at median usage${early}`}>
        {day(outlook.date)}
      </span>
    );
  }
  if (outlook.kind === "paced") {
    return (
      <span class="number" title="At the pace of this period: there is too little history for a forecast">
        {day(outlook.date)} <span class="quiet">at this pace</span>
      </span>
    );
  }
  if (outlook.kind === "too_early") {
    return (
      <span class="quiet" title="It has counted for too short a time to say when it is used up">
        too early to say
      </span>
    );
  }
  const why = "Not before it resets, and not in the next 30 days";
  return (
    <span class="quiet" title={forecast === null ? why : `By the forecast: ${why}`}>
      lasts
    </span>
  );
}

function nameOf({ kind, name, scope_kind, scope_id }: LimitInUse): string {
  if (name !== null) return name;
  if (scope_kind === "match") return scope_id ?? "Matching calls";
  if (kind === "budget") return scope_id === null ? "Whole org" : `${toWords(scope_kind)} ${scope_id}`;
  if (kind === "customer_limit" || kind === "credit_pack") return scope_id ?? toWords(kind);
  return (
    { plan_runs: "Runs of the plan", plan_tokens: "Tokens of the plan" }[kind as string] ?? toWords(kind)
  );
}

/** Describes a limit. Its name alone may be that of a customer, which has a limit and credits. */
const KINDS: Readonly<Partial<Record<LimitInUse["kind"], string>>> = {
  customer_limit: "Customer limit",
  credit_pack: "Credits",
  quota: "Balance",
};

function periodOf({ kind, period }: LimitInUse): string {
  if (kind === "credit_pack") return "";
  if (kind === "quota") return " prepaid";
  return period === "total" ? " in total" : ` a ${period}`;
}

/** The runs that the limit counted. Of one counter among several: the limit's own page, which lists them. */
function behind(limit: LimitInUse): string {
  const { kind, id, scope_kind, scope_id } = limit;
  if (scope_kind === "match" && scope_id !== null) return hrefOf(limit);
  const isOfCustomer = kind === "customer_limit" && scope_id !== null;
  return runsChargedTo(id, limit, isOfCustomer ? { customer_id: scope_id } : {});
}

function hrefOf({ kind, id, scope_id }: LimitInUse): string {
  return (kind === "credit_pack" || kind === "customer_limit") && scope_id !== null
    ? customerAt(scope_id)
    : pageOf(id);
}
