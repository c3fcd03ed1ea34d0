import { Later } from "../../../later.tsx";
import { RUNS_LOOKED_AT } from "../../../../contract/resources/usage/usage-names.ts";
import { count } from "../../view/format.ts";
import { pageOf } from "../../view/links.ts";
import { REFUSALS_ARE_KEPT } from "../../view/refusal-retention.ts";
import { Card, Empty, Head } from "../../view/parts.tsx";
import { Unread } from "../../view/unread.tsx";
import { allOf, type Found, foundIn, type FoundName, findNames } from "./names-found.ts";
import { explain } from "./explain.tsx";
import { type PageRequest, show, type PageResponse, type Visit } from "../../visit.ts";

const UNDER = "/console/explain";
const MOST_CHARACTERS = 128;
const PRINTABLE = /^[\x21-\x7e]+$/;
const TRACE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Our own ids that have a page. The prefix says what each stands for. */
const TYPED = /^(key|bud|clm|rule|sub|apr|ref|rsv|dec)_([0-9A-HJKMNP-TV-Z]{26})$/;

/** Asks for the list alone: a script shows it below the search. */
const LIST = "list";

/** Finds what an id stands for or what has a name, and goes there. If it is several things, they are listed. */
export async function search(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const q = ask.query.get("q")?.trim() ?? "";
  if (q === "") return explain(visit, ask);
  const isListed = ask.query.has(LIST);
  const place = placeOf(q);
  if (place !== null && !isListed) return { redirect: place.href };
  return show(
    "Search",
    UNDER,
    <>
      <Head title="Search" about={<code>{q.slice(0, 200)}</code>} />
      <Later
        read={async () => {
          const found = place === null ? await find(visit, q) : { names: [place], unread: null };
          return <Hits {...found} isListed={isListed} />;
        }}
      />
      <p class="quiet small">
        Customers are found by their name or the beginning of their id, budgets by their name or, without one,
        by what they apply to, policies by their reason, and users in the latest {count(RUNS_LOOKED_AT)} runs.
      </p>
    </>,
  );
}

/** The page of one of our own ids, which may not exist. Null: the text is no such id. */
function placeOf(q: string): FoundName | null {
  const [, type, rest] = TYPED.exec(q) ?? [];
  if (type === undefined) return null;
  if (type === "ref") return { kind: "Refusal", title: q, href: explainAt("refusal_id", q) };
  // The decision and its reservation share their id.
  if (type !== "rsv" && type !== "dec") return { kind: "Id", title: q, href: pageOf(q) };
  return { kind: "Reservation", title: q, href: explainAt("reservation_id", `rsv_${rest}`) };
}

/** Ids before names. */
async function find(visit: Visit, q: string): Promise<Found> {
  if (q.length > MOST_CHARACTERS) return allOf([]);
  return allOf(
    await Promise.all([
      ...(TRACE.test(q) ? [findTrace(visit, q)] : []),
      ...(PRINTABLE.test(q) ? [findRun(visit, q)] : []),
      findNames(visit, q),
    ]),
  );
}

const explainAt = (name: string, id: string) => `${UNDER}?${new URLSearchParams({ [name]: id })}`;

async function findTrace(visit: Visit, trace_id: string): Promise<Found> {
  const answer = await visit.api.send("POST", `${visit.org}/explain`, { trace_id }, visit.once());
  const href = explainAt("trace_id", trace_id);
  return foundIn(answer, () => [{ kind: "Call, by its trace", title: trace_id, href }]);
}

async function findRun(visit: Visit, id: string): Promise<Found> {
  // At this path, the API exports all runs.
  if (id === "export") return allOf([]);
  const path = encodeURIComponent(id);
  const answer = await visit.api.get(`/v1/runs/${path}`);
  return foundIn(answer, () => [{ kind: "Run", title: id, href: `/console/runs/${path}` }]);
}

function Hits({ names, unread, isListed }: Found & { isListed: boolean }) {
  const [only] = names;
  const isOnly = only !== undefined && names.length === 1 && unread === null;
  return (
    <>
      {isOnly && !isListed && <meta http-equiv="refresh" content={`0;url=${only.href}`} />}
      {unread !== null && <Unread of={unread} />}
      {names.length === 0 && unread === null && (
        <Card bare>
          <Empty icon="explain" title="Nothing has this name or id">
            {REFUSALS_ARE_KEPT} The trace of an allowed decision is not kept: search for its decision_id. Ids
            of calls and runs are matched as a whole.
          </Empty>
        </Card>
      )}
      {names.length > 0 && (
        <Card>
          <ul class="counts" id="hits">
            {names.map(({ kind, title, href }) => (
              <li>
                <a href={href} data-kind={kind}>
                  {title}
                </a>
                <span class="quiet">{kind}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
