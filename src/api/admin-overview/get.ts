import * as z from "zod";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { OVERVIEW_SORTS, overviewEntry } from "../../contract/resources/overview.ts";
import type { Call } from "../../edge/call.ts";
import { operation, reply } from "../../edge/operation.ts";
import { peersOf } from "../../edge/region/peer.ts";
import { relay } from "../../edge/region/settle.ts";
import { ObjectUnreachable } from "../../edge/unreachable.ts";
import { overviewPage, type RankedEntry } from "../../platform/overview.ts";
import { mergedPage } from "./merged.ts";

const LIST = { sort: OVERVIEW_SORTS } as const;

export const getOverview = operation(
  {
    method: "GET",
    path: "/v1/admin/overview",
    summary: "See every organization at a glance",
    description:
      "Month-to-date spend, plan use, last call, failing webhooks, deprecated callers and open support grants, over all regions. Orgs tell this about every 5 seconds while they are used.",
    role: "operator",
    query: listQuery(LIST),
    reply: {
      200: pageOf(overviewEntry).extend({
        ranks: z
          .array(z.union([z.string(), z.number()]))
          .optional()
          .meta({ description: "Between regions: what each entry is sorted by." }),
        unavailable_regions: z
          .array(z.string())
          .meta({ description: "Regions that did not answer. Their organizations are missing." }),
      }),
    },
    refuses: [],
  },
  async (call) => {
    const query = toListQuery(LIST, call.query);
    const here = await overviewPage(call.env.DB, query, Date.now());
    if (call.pass !== null) {
      const ranks = here.map(({ rank }) => rank);
      const data = here.map(({ entry }) => entry);
      return reply(200, { data, ranks, next_cursor: null, unavailable_regions: [] });
    }
    const others = await Promise.all(peersOf(call.settings).map((region) => askedOf(call, region)));
    const silent = others.flatMap(({ region, page }) => (page === null ? [region] : []));
    const parts = [here, ...others.map(({ page }) => page ?? [])];
    return reply(200, { ...mergedPage(query, parts), unavailable_regions: silent });
  },
);

interface Told {
  readonly data: RankedEntry["entry"][];
  readonly ranks: RankedEntry["rank"][];
}

/** The same page of another region. Null if it does not answer. */
async function askedOf(
  call: Parameters<typeof relay>[0] & Pick<Call, "settings">,
  region: string,
): Promise<{ region: string; page: readonly RankedEntry[] | null }> {
  try {
    const answer = await relay(call, region, null);
    if (isRefusal(answer) || !answer.relayed.ok) return { region, page: null };
    const { data, ranks } = await answer.relayed.json<Told>();
    return { region, page: data.map((entry, index) => ({ entry, rank: ranks[index] ?? "" })) };
  } catch (error) {
    if (error instanceof ObjectUnreachable) return { region, page: null };
    throw error;
  }
}
