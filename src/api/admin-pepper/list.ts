import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { pepperLeft } from "../../contract/resources/admin-pepper.ts";
import type { Call } from "../../edge/request/call.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { listOrgs } from "../../platform/directory.ts";

const LIST = { sort: ["created_at", "name"] } as const;
/** How many objects are asked at once. */
const AT_ONCE = 20;

export const listPepperLeft = operation(
  {
    method: "GET",
    path: "/v1/admin/pepper",
    summary: "See what still needs the previous pepper",
    description:
      "While SVC_KEY_PEPPER is being changed: what each organization of this region still has under SVC_KEY_PEPPER_PREVIOUS. Asking wakes the organization, which then replaces its encrypted values. The first page begins with the platform's own trail. Remove the previous pepper when nothing is left.",
    role: "operator",
    query: listQuery(LIST),
    reply: { 200: pageOf(pepperLeft) },
    refuses: [],
  },
  async (call) => {
    const query = toListQuery(LIST, call.query);
    const page = await listOrgs(call.env.DB, query);
    const ids = page.data.map(({ id }) => id);
    const first = query.after === null ? [PLATFORM_ORG_ID] : [];
    return reply(200, { ...page, data: await leftIn(call, [...first, ...ids]) });
  },
);

async function leftIn(call: Pick<Call, "door">, orgIds: readonly string[]) {
  const left = [];
  for (let at = 0; at < orgIds.length; at += AT_ONCE) {
    const asked = orgIds.slice(at, at + AT_ONCE).map((id) => call.door(id).query("pepperLeft", {}));
    for (const answer of await Promise.all(asked)) if (!isRefusal(answer)) left.push(answer.body);
  }
  return left;
}
