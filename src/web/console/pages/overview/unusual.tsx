import type * as z from "zod";
import { DAY_MS } from "../../../../contract/durations.ts";
import type { unusualDay, unusualList } from "../../../../contract/resources/unusual-spend.ts";
import { cents, day } from "../../view/format.ts";
import { customerAt, runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";
import { dateOf, type Range } from "../../view/range.ts";
import { TryAgain, whyUnread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import type { View } from "./tabs.ts";
import { ListTabs } from "./who-spends.tsx";

type Unusual = z.output<typeof unusualDay>;
type UnusualList = z.output<typeof unusualList>;

/** The longest range that unusual spend can be asked for at once. */
const MOST_DAYS = 31;
const SHOWN = 20;

/** The days of a range, its latest if it is too long, or why they cannot be read. */
export async function readUnusual(visit: Visit, range: Range): Promise<UnusualList | string> {
  const earliest = dateOf(Date.parse(range.to) - MOST_DAYS * DAY_MS);
  const from = range.from < earliest ? earliest : range.from;
  const answer = await visit.api.get<UnusualList>(
    `${visit.org}/usage/unusual?${new URLSearchParams({ from, to: range.to })}`,
  );
  return answer.body ?? whyUnread(answer);
}

const FIELDS = { model: "model", customer: "customer_id", key: "key_id", user: "user_id" } as const;

/** Why a day or an hour stands out, in words. */
export function unusualReason({ direction, spent_usd, expected_usd, low_usd, high_usd }: Unusual): string {
  const range = `${cents(low_usd)} to ${cents(high_usd)}`;
  const bound = Number(direction === "above" ? high_usd : low_usd);
  const times = bound > 0 ? Number(spent_usd) / bound : 0;
  const far =
    direction === "above"
      ? times >= 1.1
        ? `, ${times.toFixed(1)} times the most that was likely`
        : ""
      : ", less than was likely";
  return `Expected ${cents(expected_usd)}, likely ${range}${far}.`;
}

function Subject({ of, nameOf }: { of: Unusual; nameOf: (id: string) => string }) {
  const { subject_kind: kind, subject_id: id } = of;
  if (kind === "org" || id === null) return <span>Whole organization</span>;
  if (kind === "customer") return <a href={customerAt(id)}>{id}</a>;
  return <span title={id}>{kind === "key" ? nameOf(id) : id}</span>;
}

/** When it was: a day, or an hour of it. */
function momentOf({ date, hour }: Unusual): string {
  return hour === null ? day(date) : `${day(date)}, ${hour.slice(11, 16)} to ${hourAfter(hour)} UTC`;
}

const hourAfter = (hour: string) => new Date(Date.parse(hour) + 3_600_000).toISOString().slice(11, 16);

function runsBehind({ subject_kind: kind, subject_id: id, date }: Unusual): string {
  const filter: Record<string, string> = kind === "org" || id === null ? {} : { [FIELDS[kind]]: id };
  return runsAt(filter, { from: date, to: dateOf(Date.parse(date) + DAY_MS) });
}

export const unusualIds = (of: UnusualList | string): string[] =>
  typeof of === "string"
    ? []
    : of.data
        .slice(0, SHOWN)
        .flatMap(({ subject_kind: kind, subject_id: id }) => (kind === "key" && id !== null ? [id] : []));

export function UnusualCard(props: {
  readonly of: UnusualList | string;
  readonly view: View;
  readonly nameOf: (id: string) => string;
  readonly at: (changes: Record<string, string>) => string;
}) {
  const { of } = props;
  return (
    <Card title="Who spends" bare>
      <ListTabs {...props} />
      {typeof of === "string" ? (
        <p class="note-line">
          {of} <TryAgain />
        </p>
      ) : (
        <UnusualLines of={of} nameOf={props.nameOf} />
      )}
    </Card>
  );
}

/** The latest first. */
export function UnusualLines({ of, nameOf }: { of: UnusualList; nameOf: (id: string) => string }) {
  const { data } = of;
  const uncounted = !of.complete && (
    <p class="note-line">
      Keys, users and hours are not included yet: their runs are still being counted, or cannot be read now.
    </p>
  );
  if (data.length === 0) {
    return (
      <>
        <p class="note-line">
          Nothing stood out. A day is compared with the forecast from the days before these, which needs two
          weeks of runs.
        </p>
        {uncounted}
      </>
    );
  }
  const latest = data.toSorted((one, other) => (one.date < other.date ? 1 : -1)).slice(0, SHOWN);
  return (
    <>
      {data.length > SHOWN && (
        <p class="list-title">
          The latest {SHOWN} of {data.length}
        </p>
      )}
      <ol class="ranking">
        {latest.map((one) => (
          <li>
            <span class="label">
              <Subject of={one} nameOf={nameOf} />
              <span>
                <span class={one.direction === "above" ? "change up" : "change down"}>
                  {one.direction === "above" ? "▲" : "▼"}
                </span>{" "}
                <a href={runsBehind(one)}>
                  <Usd of={one.spent_usd} />
                </a>
              </span>
            </span>
            <span class="sub">
              {momentOf(one)}. {unusualReason(one)}
            </span>
          </li>
        ))}
      </ol>
      {uncounted}
    </>
  );
}
