import { DAY_MS } from "../../../../contract/durations.ts";
import { readNames } from "../../names.ts";
import { showLater } from "../../page/show-later.tsx";
import { Head } from "../../view/parts.tsx";
import { dateOf, daysIn, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { type PageRequest, type ListOf, hasRole, show, type ShownPage, type Visit } from "../../visit.ts";
import { readChanged } from "./change-ranking.ts";
import { divideDays } from "./day-breakdown.ts";
import { FirstSteps } from "./first-steps.tsx";
import { Figures, readFigures } from "./figures.tsx";
import { readRefusedToday, RefusedTodayCard } from "./refused-today.tsx";
import { readRunsOut, RunsOutCard } from "./runs-out.tsx";
import { readForecast, SpendCard } from "./spend-card.tsx";
import { isSpending, readSpending } from "./spending.ts";
import { addressOf, viewFields, type View, viewOf } from "./tabs.ts";
import { readTags } from "./tag-names.ts";
import { readUnusual, UnusualCard, unusualIds } from "./unusual.tsx";
import { readWhoSpends, type WhoSpends, WhoSpendsCard } from "./who-spends.tsx";

const PATH = "/console";

/** The list of the first column: who spends most, who changed most, or what is unusual. */
async function readList(visit: Visit, view: View) {
  if (view.list === "unusual") return { unusual: await readUnusual(visit, view.range), who: null };
  const [who, tags] = await Promise.all([
    view.list === "changed" ? readChanged(visit, view) : readWhoSpends(visit, view),
    view.by === "tag" ? readTags(visit) : null,
  ]);
  return { unusual: null, who, tags: tags?.names ?? [] };
}

/** The start page: spend, the largest spenders, the limits that run out next, and today's refusals. */
export async function overview(visit: Visit, ask: PageRequest): Promise<ShownPage> {
  return showLater("Overview", PATH, () => readOverview(visit, ask));
}

async function readOverview(visit: Visit, ask: PageRequest): Promise<ShownPage> {
  const view = viewOf(ask.query, rangeOf(ask.query, visit.nowMs));
  const { range } = view;
  const [list, out, refused, figures, spending, forecast] = await Promise.all([
    readList(visit, view),
    readRunsOut(visit),
    readRefusedToday(visit, dateOf(visit.nowMs)),
    readFigures(visit),
    readSpending(visit, range),
    readForecast(visit, view),
  ]);
  const limits = "problem" in refused ? [] : refused.limits.map(({ group }) => group);
  const ids = [...limits.slice(0, 5), ...keyIds(view, list.who), ...unusualIds(list.unusual ?? "")];
  const nameOf = await readNames(visit, ids);
  const today = { from: dateOf(visit.nowMs), to: dateOf(visit.nowMs + DAY_MS) };
  const at = (changes: Record<string, string>) => addressOf(PATH, view, changes);
  const isNew = isSpending(spending) && spending.totals.runs === 0 && spending.previous.runs === 0;
  const content = (
    <>
      <Head title="Overview" about={`${daysIn(range)} (UTC), compared with ${daysIn(range.previous)}`}>
        <RangePicker range={range} path={PATH} keep={viewFields(view)} />
        <a class="button small-button" href={addressOf("/console/report", view)}>
          Report
        </a>
      </Head>
      <Figures spending={spending} figures={figures} out={out.body} range={range} today={today} />
      {isNew && <FirstSteps limits={out.body?.count ?? 0} keys={await countKeys(visit)} />}
      {isSpending(spending) && (
        <SpendCard
          spending={spending}
          divided={await divideDays(visit, view, spending, list.who)}
          view={view}
          forecast={forecast}
          cap={figures.cap?.cap_usd ?? null}
          nameOf={nameOf}
          at={at}
        />
      )}
      <div class="blocks">
        {list.who === null ? (
          <UnusualCard of={list.unusual} view={view} nameOf={nameOf} at={at} />
        ) : (
          <WhoSpendsCard of={list.who} tags={list.tags} view={view} nameOf={nameOf} at={at} />
        )}
        <RunsOutCard of={out} mayCreate={hasRole(visit, "admin")} nowMs={visit.nowMs} />
        <RefusedTodayCard of={refused} nameOf={nameOf} />
      </div>
    </>
  );
  return show("Overview", PATH, content);
}

/** Keys are shown by their names. */
function keyIds({ by }: View, who: WhoSpends | null): (string | null)[] {
  return by === "key_id" && who !== null ? who.rows.map(({ id }) => id) : [];
}

async function countKeys(visit: Visit): Promise<number> {
  return (await visit.api.get<ListOf<unknown>>(`${visit.org}/keys?limit=2`)).body?.data.length ?? 0;
}
