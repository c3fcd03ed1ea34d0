import { RUNS_LOOKED_AT } from "../../../../contract/resources/usage/usage-names.ts";
import { count } from "../../view/format.ts";
import { pageOf } from "../../view/links.ts";
import { REFUSALS_ARE_KEPT } from "../../view/refusal-retention.ts";
import { Card, Empty, Head } from "../../view/parts.tsx";
import { type FoundName, findNames } from "./names-found.ts";
import { explain } from "./explain.tsx";
import { type PageRequest, show, type PageResponse, type Visit } from "../../visit.ts";

const UNDER = "/console/explain";
const MOST_CHARACTERS = 128;
const PRINTABLE = /^[\x21-\x7e]+$/;
const REFUSAL = /^ref_[0-9A-Z]{26}$/;
const TRACE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Ids whose kind their first letters tell, and that have a page. */
const OWN_PAGE = /^(key|bud|clm|rule|sub|apr)_[0-9A-Za-z]+$/;

/** Asks for the list alone: a script shows it below the search. */
const LIST = "list";

/** Finds what an id stands for or what has a name, and goes there. If it is several things, they are listed. */
export async function search(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const q = ask.query.get("q")?.trim() ?? "";
  if (q === "") return explain(visit, ask);
  const hits = q.length <= MOST_CHARACTERS ? await hitsFor(visit, q) : [];
  const [only] = hits;
  const isOnly = hits.length === 1 && !ask.query.has(LIST);
  if (only !== undefined && isOnly) return { redirect: only.href };
  return show("Search", UNDER, found(q, hits), hits.length === 0 ? 404 : 200);
}

/** Each place once, ids before names. */
async function hitsFor(visit: Visit, q: string): Promise<readonly FoundName[]> {
  const [ids, names] = await Promise.all([PRINTABLE.test(q) ? idHits(visit, q) : [], findNames(visit, q)]);
  const places = new Map([...names, ...ids].map((hit) => [hit.href, hit]));
  return [...ids, ...names].filter((hit) => places.get(hit.href) === hit);
}

async function idHits(visit: Visit, q: string): Promise<readonly FoundName[]> {
  if (OWN_PAGE.test(q)) return [{ kind: "Id", title: q, href: pageOf(q) }];
  if (REFUSAL.test(q)) return [{ kind: "Refusal", title: q, href: explainAt("refusal_id", q) }];
  // The decision and its reservation share their id.
  const reservation = /^(?:rsv|dec)_(.+)$/.exec(q)?.[1];
  if (reservation !== undefined) {
    const href = explainAt("reservation_id", `rsv_${reservation}`);
    return [{ kind: "Reservation", title: q, href }];
  }
  const tried = await Promise.all([TRACE.test(q) && isTrace(visit, q), isRun(visit, q)]);
  const all: readonly FoundName[] = [
    { kind: "Call, by its trace", title: q, href: explainAt("trace_id", q) },
    { kind: "Run", title: q, href: `/console/runs/${encodeURIComponent(q)}` },
  ];
  return all.filter((_, index) => tried[index]);
}

const explainAt = (name: string, id: string) => `${UNDER}?${new URLSearchParams({ [name]: id })}`;

async function isTrace(visit: Visit, trace_id: string): Promise<boolean> {
  const answer = await visit.api.send("POST", `${visit.org}/explain`, { trace_id }, visit.once());
  return answer.error === null;
}

async function isRun(visit: Visit, id: string): Promise<boolean> {
  return (await visit.api.get(`/v1/runs/${encodeURIComponent(id)}`)).error === null;
}

function found(q: string, hits: readonly FoundName[]) {
  return (
    <>
      <Head title={hits.length === 0 ? "Nothing found" : "Found"} about={<code>{q.slice(0, 200)}</code>} />
      <Card bare={hits.length === 0}>
        {hits.length === 0 ? (
          <Empty icon="explain" title="Nothing has this name or id">
            {REFUSALS_ARE_KEPT} The trace of an allowed decision is not kept: search for its decision_id. Ids
            of calls and runs are matched as a whole.
          </Empty>
        ) : (
          <ul class="counts" id="hits">
            {hits.map(({ kind, title, href }) => (
              <li>
                <a href={href} data-kind={kind}>
                  {title}
                </a>
                <span class="quiet">{kind}</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <p class="quiet small">
        Customers are found by their name or the beginning of their id, budgets by their name or, without one,
        by what they apply to, policies by their reason, and users in the latest {count(RUNS_LOOKED_AT)} runs.
      </p>
    </>
  );
}
