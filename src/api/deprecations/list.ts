import { deprecationEntry } from "../../contract/deprecations.ts";
import { readRegistry } from "../../edge/request/deprecation.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { deprecationEntries } from "../../contract/resources/deprecations.ts";

/** Read from the registry itself, not from the isolate's copy, so that a route that was just flagged is listed. */
export const listDeprecations = operation(
  {
    method: "GET",
    path: "/v1/meta/deprecations",
    summary: "List deprecated routes",
    role: "anyone",
    reply: { 200: deprecationEntries },
    refuses: [],
  },
  async (call) => {
    const { deprecations } = await readRegistry(call.env.REGISTRY);
    return reply(
      200,
      deprecations.map((one) => deprecationEntry(one, call.settings.SVC_DOCS_URL)),
    );
  },
);
