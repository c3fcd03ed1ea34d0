import * as z from "zod";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { isRefusal } from "../../contract/refusal.ts";
import {
  type OrgCallsTop,
  orgCallsTop,
  OVERVIEW_SORTS,
  overviewEntry,
} from "../../contract/resources/admin-overview.ts";
import type { OrgCallRow } from "../../contract/metrics.ts";
import { counters } from "../../counters.ts";
import { mergeOrgCalls } from "../../domain/metric/org-calls.ts";
import { readBusiest, readLastHour } from "../../edge/object/counters.ts";
import type { Env } from "../../edge/env.ts";
import type { Call } from "../../edge/request/call.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { peersOf } from "../../edge/region/peer.ts";
import { relay } from "../../edge/region/settle.ts";
import { ObjectUnreachable } from "../../edge/object/unreachable.ts";
import { overviewPage, type RankedEntry } from "../../platform/overview.ts";
import { mergePages } from "./merged-page.ts";

const LIST = { sort: OVERVIEW_SORTS } as const;
/** The overview reads the calls per minute of this many organizations at most, the busiest first. All others count as quiet. */
const MOST_BUSY = 2000;
const TOP = 10;

export const getOverview = operation(
  {
    method: "GET",
    path: "/v1/admin/overview",
    summary: "See every organization at a glance",
    description:
      "Month-to-date spend, plan use, last call, failing webhooks, deprecated callers, open support grants, and calls of the last minute and hour, over all regions. Orgs tell this about every 5 seconds while they are used.",
    role: "operator",
    query: listQuery(LIST),
    reply: {
      200: pageOf(overviewEntry).extend({
        ranks: z
          .array(z.union([z.string(), z.number()]))
          .optional()
          .meta({ description: "Between regions: what each entry is sorted by." }),
        svc_org_calls_top: orgCallsTop,
        unavailable_regions: z
          .array(z.string())
          .meta({ description: "Regions that did not answer. Their organizations are missing." }),
      }),
    },
    refuses: [],
  },
  async (call) => {
    const query = toListQuery(LIST, call.query);
    const busy = await busyOrgs(call.env);
    const here = await withLastHour(call.env, await overviewPage(call.env.DB, query, Date.now(), busy));
    if (call.pass !== null) {
      const ranks = here.map(({ rank }) => rank);
      const data = here.map(({ entry }) => entry);
      const top = topOf([busy]);
      return reply(200, { data, ranks, next_cursor: null, svc_org_calls_top: top, unavailable_regions: [] });
    }
    const others = await Promise.all(peersOf(call.settings).map((region) => readFromRegion(call, region)));
    const silent = others.flatMap(({ region, page }) => (page === null ? [region] : []));
    const parts = [here, ...others.map(({ page }) => page ?? [])];
    const top = topOf([busy, ...others.map((other) => other.top)]);
    return reply(200, { ...mergePages(query, parts), svc_org_calls_top: top, unavailable_regions: silent });
  },
);

/** The busiest orgs of this region, with what this isolate has counted until now. */
async function busyOrgs({ COUNTERS }: Env): Promise<OrgCallRow[]> {
  await counters.flushAll(COUNTERS, Date.now());
  return readBusiest(COUNTERS, MOST_BUSY);
}

async function withLastHour({ COUNTERS }: Env, page: readonly RankedEntry[]): Promise<RankedEntry[]> {
  const orgIds = page.map(({ entry }) => entry.org_id);
  const hours = await readLastHour(COUNTERS, orgIds, Date.now());
  return page.map(({ entry, rank }) => ({
    entry: { ...entry, last_hour: hours.get(entry.org_id) ?? null },
    rank,
  }));
}

function topOf(lists: readonly (readonly OrgCallRow[])[]): OrgCallsTop {
  return mergeOrgCalls(TOP, lists).map(([org_id, calls, refusals, errors, cpuUs, slowestMs]) => ({
    org_id,
    calls,
    refusals,
    errors,
    slowest_wait_ms: slowestMs,
    cpu_ms: cpuUs / 1000,
  }));
}

interface OverviewReply {
  readonly data: RankedEntry["entry"][];
  readonly ranks: RankedEntry["rank"][];
  readonly svc_org_calls_top?: OrgCallsTop;
}

interface Other {
  readonly region: string;
  readonly page: readonly RankedEntry[] | null;
  readonly top: readonly OrgCallRow[];
}

/** The same page of another region. Null if it does not answer. */
async function readFromRegion(
  call: Parameters<typeof relay>[0] & Pick<Call, "settings">,
  region: string,
): Promise<Other> {
  try {
    const answer = await relay(call, region, null);
    if (isRefusal(answer) || !answer.relayed.ok) return { region, page: null, top: [] };
    const { data, ranks, svc_org_calls_top: busy = [] } = await answer.relayed.json<OverviewReply>();
    const top = busy.map(
      (one) =>
        [one.org_id, one.calls, one.refusals, one.errors, one.cpu_ms * 1000, one.slowest_wait_ms] as const,
    );
    return { region, page: data.map((entry, index) => ({ entry, rank: ranks[index] ?? "" })), top };
  } catch (error) {
    if (error instanceof ObjectUnreachable) return { region, page: null, top: [] };
    throw error;
  }
}
