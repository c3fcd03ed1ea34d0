import { deprecationEntry, isUnderDocs, operationName } from "../../contract/deprecations.ts";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { flagInRegistry, waitForOlderCopies } from "../../edge/request/deprecation.ts";
import { operation } from "../../edge/request/operation.ts";
import type { Operation } from "../../edge/request/operation-types.ts";
import { broadcast } from "../../edge/region/broadcast.ts";
import { deprecationEntryShape, newDeprecation } from "../../contract/resources/deprecations.ts";

/** `serves` tells whether an operation has this name, such as `GET /v1/orgs/{id}`. */
export function flagDeprecation(serves: (name: string) => boolean): Operation {
  return operation(
    {
      method: "PUT",
      path: "/v1/admin/deprecations",
      summary: "Flag a route as deprecated, or extend its sunset",
      description:
        "The sunset must be at least 12 months after the announcement, which is today or the deprecation date, whichever is later. A sunset can move later, never earlier. The deprecation date cannot change, and a deprecation cannot be withdrawn. The documentation is under the address of this service's documentation. If an extension omits the replacement, the existing one is kept. When the call returns, every isolate signals the deprecation.",
      role: "operator",
      body: newDeprecation,
      reply: { 200: deprecationEntryShape },
      refuses: ["conflict"],
    },
    async (call) => {
      const { replacement, ...rest } = call.body;
      const asked = { ...rest, ...(replacement !== undefined && { replacement }) };
      if (!serves(operationName(asked))) {
        return invalidField("route", "invalid_value", "is not a route of this API with this method");
      }
      const { SVC_DOCS_URL: docsUrl } = call.settings;
      // A call from another region was checked there, and documented under its address.
      if (call.pass === null && !isUnderDocs(asked.documentation, docsUrl)) {
        return invalidField("documentation", "invalid_value", `must be ${docsUrl} or an address below it`);
      }
      // A call from another region was announced there, perhaps on the day before.
      const announcedMs = call.pass === null ? call.startedAt : 0;
      const outcome = await flagInRegistry(call.env.REGISTRY, asked, announcedMs);
      if (!outcome.flagged) {
        return "conflict" in outcome
          ? refuse("conflict", {}, { message: outcome.conflict })
          : invalidField("sunset", "out_of_range", outcome.tooSoon);
      }
      const [missed] = await Promise.all([broadcast(call), waitForOlderCopies()]);
      if (missed.length > 0) {
        const message = `Flagged here, but not in ${missed.join(", ")}. Send the request again.`;
        return refuse("service_unavailable", {}, { message });
      }
      const entry = deprecationEntry(outcome.deprecation, docsUrl);
      return call
        .door(PLATFORM_ORG_ID, { ...call.envelope(), idempotency: null, ifMatch: null })
        .command("recordDeprecation", { entry });
    },
  );
}
