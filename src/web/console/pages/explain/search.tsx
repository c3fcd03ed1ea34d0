import type { CustomerStanding } from "../../../../contract/resources/customers.ts";
import { customerAt, pageOf } from "../../view/links.ts";
import { REFUSALS_ARE_KEPT } from "../../view/kept.ts";
import { Card, Empty, Head } from "../../view/parts.tsx";
import { explain } from "./explain.tsx";
import { type PageRequest, show, type Shown, type Visit } from "../../visit.ts";

const UNDER = "/console/explain";
const MOST_CHARACTERS = 128;
const PRINTABLE = /^[\x21-\x7e]+$/;
const REFUSAL = /^ref_[0-9A-Z]{26}$/;
/** Ids whose kind their first letters tell, and that have a page. */
const OWN_PAGE = /^(key|bud|clm|rule|sub|apr)_[0-9A-Za-z]+$/;

type Hit = readonly [title: string, href: string];

/** Finds what an id stands for, and goes there. If it may stand for several things, they are listed. */
export async function search(visit: Visit, ask: PageRequest): Promise<Shown> {
  const q = ask.query.get("q")?.trim() ?? "";
  if (q === "") return explain(visit, ask);
  const hits = PRINTABLE.test(q) && q.length <= MOST_CHARACTERS ? await hitsFor(visit, q) : [];
  const [only] = hits;
  if (only !== undefined && hits.length === 1) return { redirect: only[1] };
  return show("Search", UNDER, found(q, hits), hits.length === 0 ? 404 : 200);
}

async function hitsFor(visit: Visit, q: string): Promise<readonly Hit[]> {
  if (OWN_PAGE.test(q)) return [["", pageOf(q)]];
  if (REFUSAL.test(q)) return [["", explainAt("refusal_id", q)]];
  // The decision and its reservation share their id.
  const reservation = /^(?:rsv|dec)_(.+)$/.exec(q)?.[1];
  if (reservation !== undefined) return [["", explainAt("reservation_id", `rsv_${reservation}`)]];
  const tried = await Promise.all([isTrace(visit, q), isRun(visit, q), isCustomer(visit, q)]);
  const all: readonly Hit[] = [
    ["A call, by its trace", explainAt("trace_id", q)],
    ["A run", `/console/runs/${encodeURIComponent(q)}`],
    ["A customer", customerAt(q)],
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

async function isCustomer(visit: Visit, id: string): Promise<boolean> {
  const path = `${visit.org}/customers/${encodeURIComponent(id)}`;
  const { body } = await visit.api.get<CustomerStanding>(path);
  return body !== null && (body.last_run_on !== null || body.credits !== null || body.limits.length > 0);
}

function found(q: string, hits: readonly Hit[]) {
  return (
    <>
      <Head
        title={hits.length === 0 ? "Nothing found" : "Which one?"}
        about={<code>{q.slice(0, 200)}</code>}
      />
      <Card bare={hits.length === 0}>
        {hits.length === 0 ? (
          <Empty
            icon="explain"
            title="No trace, refusal, run, reservation, decision, key or customer has this id"
          >
            {REFUSALS_ARE_KEPT} The trace of an allowed decision is not kept: search for its decision_id. Ids
            are matched as a whole.
          </Empty>
        ) : (
          <ul class="bullets">
            {hits.map(([title, href]) => (
              <li>
                <a href={href}>{title}</a>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}
