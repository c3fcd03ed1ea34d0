import type { Child } from "hono/jsx";
import { DAY_MS } from "../../../../contract/durations.ts";
import { LEFT_OUT } from "../../../../contract/run-filters.ts";
import { DIMENSION_NAMES, TAG_PREFIX } from "../../../../contract/dimensions.ts";
import { RUN_OUTCOMES } from "../../../../contract/lists.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import { count, dimensionTitle, toWords } from "../../view/format.ts";
import { type Filter, Filters, isFiltered } from "../../view/filters.tsx";
import { Usd } from "../../view/money.tsx";
import { Card, Empty, Head, Pager, Tile, Tiles } from "../../view/parts.tsx";
import { dateOf } from "../../view/range.ts";
import { Listed, Unread } from "../../view/unread.tsx";
import {
  type PageRequest,
  listPath,
  type ListOf,
  pagesOf,
  show,
  type PageResponse,
  type ShownPage,
  type Visit,
} from "../../visit.ts";
import { unreadPage } from "../../page/refusal-page.tsx";
import { showLater } from "../../page/show-later.tsx";
import { ByModel } from "./by-model.tsx";
import { ChargedTile, readLimitCharge } from "./limit-charge.tsx";
import { isBounded, readSums, type RunSums } from "./sums.ts";
import { RunTable } from "./table.tsx";

const UNDER = "/console/runs";
const ALL = `${UNDER}?range=all`;

const OUTCOMES = [["", "–"], ...RUN_OUTCOMES.map((outcome) => [outcome, toWords(outcome)] as const)] as const;

const FILTERS: readonly Filter[] = [
  { name: "id", title: "Run id" },
  { name: "customer_id", title: "Customer" },
  { name: "model", title: "Model" },
  { name: "from", title: "From", isDate: true },
  { name: "to", title: "Before", isDate: true },
  {
    name: "sort",
    title: "Order",
    options: [
      ["-started_at", "Newest first"],
      ["started_at", "Oldest first"],
      ["-cost_usd", "Most expensive first"],
    ],
  },
  ...DIMENSION_NAMES.filter((name) => name !== "customer_id" && name !== "model").map((name) =>
    name === "outcome" ? { ...rare(name, "Outcome"), options: OUTCOMES } : rare(name, dimensionTitle(name)),
  ),
  rare("action", "Action"),
  rare("chain_id", "Chain"),
  { ...rare("tag", "Tag"), hint: "team:search" },
  { ...rare("without", "Without"), options: [] },
  { ...rare("limit_id", "Charged to limit"), hint: "bud_…" },
  { ...rare("charged_from", "Charged from"), isDate: true },
];

function rare(name: string, title: string): Filter {
  return { name, title, isRare: true };
}

/** The filters, with the tag that the page is asked to show runs without. */
function filtersFor(query: URLSearchParams): readonly Filter[] {
  const asked = query.get("without") ?? "";
  const tag = asked.startsWith(TAG_PREFIX) ? [[asked, `Tag ${asked.slice(TAG_PREFIX.length)}`] as const] : [];
  const named = LEFT_OUT.map((name) => [name, dimensionTitle(name)] as const);
  const options = [["", "–"] as const, ...named, ...tag];
  return FILTERS.map((filter) => (filter.name === "without" ? { ...filter, options } : filter));
}

const EXAMPLE = `curl $BASE/v1/runs -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"started_at":"2026-11-15T09:00:00Z","model":"acme/m1",
       "usage":{"input_tokens":900,"output_tokens":120},"cost_usd":"0.0123"}'`;

export async function listRuns(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const id = ask.query.get("id")?.trim();
  if (id) return { redirect: `${UNDER}/${encodeURIComponent(id)}` };
  return showLater("Runs", UNDER, () => readRuns(visit, ask));
}

async function readRuns(visit: Visit, ask: PageRequest): Promise<ShownPage> {
  const isOpened = [...ask.query.keys()].every((name) => name === "notice" || name === "order");
  const query = isOpened ? new URLSearchParams(lastDays(visit)) : ask.query;
  const filters = filtersFor(query);
  const names = filters.map(({ name }) => name).filter((name) => name !== "id");
  const answer = await visit.api.get<ListOf<RunResource>>(listPath("/v1/runs", query, names));
  const filtered = isFiltered(filters, query);
  if (answer.body === null && (isOpened || !filtered)) return unreadPage(answer, UNDER);
  const runs = answer.body?.data ?? [];
  const isNew = isOpened && runs.length === 0 && !(await hasOlder(visit));
  const shown = runs.length > 0 || !isNew;
  const content = (
    <>
      <Head title="Runs" about="Every reported run, what it cost, and which limits it was charged to.">
        {shown && <QuickRanges visit={visit} query={query} />}
      </Head>
      {answer.body !== null && runs.length > 0 && (await sumsOf(visit, query, answer.body))}
      <Card bare>
        {shown && <Filters path={UNDER} of={filters} query={query} answer={answer} />}
        <Listed
          answer={answer}
          rows={runs}
          icon="runs"
          path={ALL}
          isFiltered={filtered && !isNew}
          empty={
            <Empty icon="runs" title="No runs yet" action={<pre>{EXAMPLE}</pre>}>
              Report a run when it ends. It is charged to every limit that applies.
            </Empty>
          }
        >
          {(rows) => <RunTable rows={rows} hasFilters />}
        </Listed>
        <Pager {...pagesOf(UNDER, query, answer.body?.next_cursor ?? null)} />
      </Card>
    </>
  );
  return show("Runs", UNDER, content, answer.status);
}

const OPENED_DAYS = 7;

/** The days that the page shows when it is opened. */
const lastDays = ({ nowMs }: Visit) => ({
  from: dateOf(nowMs - (OPENED_DAYS - 1) * DAY_MS),
  to: dateOf(nowMs + DAY_MS),
});

async function hasOlder(visit: Visit): Promise<boolean> {
  const { body } = await visit.api.get<ListOf<RunResource>>("/v1/runs?limit=1");
  return body === null || body.data.length > 0;
}

/** The cost of all filtered runs together, and their models. */
async function sumsOf(visit: Visit, query: URLSearchParams, page: ListOf<RunResource>): Promise<Child> {
  const read = await readSums(visit, query, page);
  const unread = read !== null && "trace" in read ? read : null;
  const sums = unread === null ? (read as RunSums | null) : null;
  const isDays = isBounded(query);
  const charged = await readLimitCharge(visit, query, sums);
  const rest = new URLSearchParams(query);
  for (const name of ["sort", "cursor", "id", "notice", "range"]) rest.delete(name);
  const hrefOf = (model: string) =>
    `${UNDER}?${new URLSearchParams({ ...Object.fromEntries(rest), model, sort: "-cost_usd" })}`;
  return (
    <>
      {unread !== null && <Unread of={unread} />}
      {read === null && (
        <p class="quiet small">
          These are too many runs to add up at once.{" "}
          {isDays
            ? "Choose fewer days to see what they cost."
            : "Choose days to see what they cost, and to download them."}
        </p>
      )}
      {(sums !== null || charged !== null || isDays) && (
        <Tiles>
          {charged !== null && <ChargedTile of={charged} />}
          {sums !== null && <Sums of={sums} />}
          {isDays && (
            <Tile label="Export" value={<a href={`${UNDER}/export?${rest}`}>CSV</a>}>
              all of them, as one file
            </Tile>
          )}
        </Tiles>
      )}
      {sums !== null && sums.modelCount > 1 && (
        <ByModel of={sums.models} models={sums.modelCount} hrefOf={hrefOf} />
      )}
    </>
  );
}

function Sums({ of }: { of: RunSums }) {
  const models = `${count(of.modelCount)} ${of.modelCount === 1 ? "model" : "models"}`;
  return (
    <>
      <Tile label="Cost of these runs" value={<Usd of={of.cost_usd} />}>
        with adjustments
      </Tile>
      <Tile label="Runs" value={count(of.runs)}>
        of {of.modelCount > 1 ? <a href="#models">{models}</a> : models}
      </Tile>
      <Tile label="Tokens" value={count(of.tokens)}>
        {count(of.input_tokens)} in, {count(of.output_tokens)} out
      </Tile>
    </>
  );
}

const isAnyTime = (query: URLSearchParams) => !query.get("from") && !query.get("to");

/** The same filters without days. */
function allOf(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  for (const name of ["cursor", "notice", "from", "to"]) rest.delete(name);
  rest.set("range", "all");
  return `${UNDER}?${rest}`;
}

function QuickRanges({ visit, query }: { visit: Visit; query: URLSearchParams }) {
  const tomorrow = dateOf(visit.nowMs + DAY_MS);
  const ranges = [
    ["Today", dateOf(visit.nowMs)],
    ["7 days", lastDays(visit).from],
    ["30 days", dateOf(visit.nowMs - 29 * DAY_MS)],
    ["Month to date", `${dateOf(visit.nowMs).slice(0, 8)}01`],
  ] as const;
  return (
    <nav class="tabs" aria-label="Range">
      {ranges.map(([title, from]) => {
        const rest = new URLSearchParams(query);
        for (const name of ["cursor", "notice", "range"]) rest.delete(name);
        rest.set("from", from);
        rest.set("to", tomorrow);
        const isShown = query.get("from") === from && query.get("to") === tomorrow;
        return (
          <a href={`${UNDER}?${rest}`} {...(isShown ? { "aria-current": "true" } : {})}>
            {title}
          </a>
        );
      })}
      <a href={allOf(query)} {...(isAnyTime(query) ? { "aria-current": "true" } : {})}>
        Any time
      </a>
    </nav>
  );
}
