import { z } from "zod";
import { DEPRECABLE_METHODS, deprecationEntry, operationName } from "../../contract/deprecations.ts";
import { imfFixdate, parseIsoDate, parseSunset } from "../../contract/http-date.ts";
import { PLATFORM_ORG_ID } from "../../contract/ids.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { flagInRegistry, olderCopiesEnd } from "../../edge/deprecation.ts";
import { type Operation, operation } from "../../edge/operation.ts";
import { spread } from "../../edge/region/spread.ts";
import { deprecationEntryShape } from "../../contract/resources/deprecations.ts";

/** Both end up between the brackets of a `Link` header. */
const target = z
  .string()
  .max(512)
  .regex(
    /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/,
    "must be printable ASCII without spaces, quotes and angle brackets",
  );

const sunset = z.string().transform((text, context) => {
  const atMs = parseSunset(text);
  if (atMs !== undefined) return imfFixdate(atMs);
  context.addIssue({
    code: "custom",
    message: "must be an HTTP-date, an RFC 3339 time or a day",
    input: text,
  });
  return z.NEVER;
});

/** `serves` knows every operation by its name, `GET /v1/orgs/{id}`. */
export function flagDeprecation(serves: (name: string) => boolean): Operation {
  return operation(
    {
      method: "PUT",
      path: "/v1/admin/deprecations",
      summary: "Flag a route as deprecated, or extend its sunset",
      description:
        "The sunset is at least 12 months after the announcement, which is today or, if that is later, the day of the deprecation. It may move later, never earlier, and the day of the deprecation never changes. Nothing withdraws a deprecation. An extension keeps the replacement that it leaves out. When the answer comes, every isolate signals it.",
      role: "operator",
      body: z.strictObject({
        method: z.enum(DEPRECABLE_METHODS),
        route: z.string().max(512),
        since: z.string().refine((text) => parseIsoDate(text) !== undefined, "must be a day, YYYY-MM-DD"),
        sunset: sunset.meta({ description: "HTTP-date, RFC 3339 time, or a day, which then counts whole." }),
        replacement: target.regex(/^\//, "must be a route template").optional(),
        documentation: target.pipe(z.url({ protocol: /^https?$/, error: "must be an absolute URL" })),
      }),
      reply: { 200: deprecationEntryShape },
      refuses: ["conflict"],
    },
    async (call) => {
      const { replacement, ...rest } = call.body;
      const asked = { ...rest, ...(replacement !== undefined && { replacement }) };
      if (!serves(operationName(asked))) {
        return invalidField("route", "invalid_value", "is not a route that this API serves with this method");
      }
      // What another region hands on was announced there, perhaps on the day before.
      const announcedMs = call.pass === null ? call.startedAt : 0;
      const outcome = await flagInRegistry(call.env.REGISTRY, asked, announcedMs);
      if (!outcome.flagged) {
        return "conflict" in outcome
          ? refuse("conflict", {}, { message: outcome.conflict })
          : invalidField("sunset", "out_of_range", outcome.tooSoon);
      }
      const [missed] = await Promise.all([spread(call), olderCopiesEnd()]);
      if (missed.length > 0) {
        const message = `Flagged here, but not in ${missed.join(", ")}. Send the request again.`;
        return refuse("service_unavailable", {}, { message });
      }
      const entry = deprecationEntry(outcome.deprecation, call.settings.SVC_DOCS_URL);
      return call
        .door(PLATFORM_ORG_ID, { ...call.envelope(), idempotency: null, ifMatch: null })
        .command("recordDeprecation", { entry });
    },
  );
}
