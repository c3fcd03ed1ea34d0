import type * as z from "zod";
import type { refusalSummary } from "../../../../contract/resources/refusals.ts";
import { count, toWords } from "../../view/format.ts";
import { pageOf, refusalsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";
import { TryAgain, whyUnread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";

export type Summary = z.output<typeof refusalSummary>;

interface Line {
  readonly group: string;
  readonly count: number;
}

export interface RefusedToday {
  readonly from: string;
  readonly total: number;
  readonly amount: string;
  readonly codes: readonly Line[];
  readonly limits: readonly Line[];
}

const SHOWN = 5;

/** Why it cannot be read. */
export interface ReadProblem {
  readonly problem: string;
}

export async function readRefusedToday(visit: Visit, today: string): Promise<RefusedToday | ReadProblem> {
  const by = (group: string) =>
    visit.api.get<Summary>(`${visit.org}/refusals/summary?from=${today}&group_by=${group}`);
  const [codes, limits] = await Promise.all([by("code"), by("limit")]);
  if (codes.body === null || limits.body === null) {
    return { problem: whyUnread(codes.body === null ? codes : limits) };
  }
  const { count: total, amount_usd: amount } = codes.body;
  return { from: today, total, amount, codes: linesOf(codes.body), limits: linesOf(limits.body) };
}

/** The hours of a group added up, the most refusals first. */
export function linesOf({ data }: Pick<Summary, "data">): Line[] {
  const counts = new Map<string, number>();
  for (const { group, count: some } of data) counts.set(group ?? "", (counts.get(group ?? "") ?? 0) + some);
  return [...counts]
    .map(([group, many]) => ({ group, count: many }))
    .toSorted((one, other) => other.count - one.count);
}

export function RefusedTodayCard({
  of,
  nameOf,
}: {
  of: RefusedToday | ReadProblem;
  nameOf: (id: string) => string;
}) {
  if ("problem" in of) {
    return (
      <Card title="Refused today">
        <p class="quiet">
          {of.problem} <TryAgain />
        </p>
      </Card>
    );
  }
  if (of.total === 0) {
    return (
      <Card title="Refused today" bare>
        <p class="note-line">
          Nothing so far. <a href="/console/refusals">Earlier refusals</a>
        </p>
      </Card>
    );
  }
  const { from } = of;
  return (
    <Card title="Refused today" bare>
      <p class="figure">
        <a href={refusalsAt({ from })}>{count(of.total)}</a>
        <span class="sub">
          calls, for{" "}
          <a href={refusalsAt({ from })}>
            <Usd of={of.amount} />
          </a>
        </span>
      </p>
      <h3 class="list-title">By code</h3>
      <ul class="counts">
        {of.codes.slice(0, SHOWN).map(({ group, count: some }) => (
          <li>
            <span>{toWords(group)}</span>
            <a href={refusalsAt({ code: group, from })}>{count(some)}</a>
          </li>
        ))}
      </ul>
      <h3 class="list-title">By limit</h3>
      <ul class="counts">
        {of.limits.slice(0, SHOWN).map(({ group, count: some }) => (
          <li>
            <a href={pageOf(group)} title={`${nameOf(group)} (${group})`}>
              {nameOf(group)}
            </a>
            <a href={refusalsAt({ limit_id: group, from })}>{count(some)}</a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
