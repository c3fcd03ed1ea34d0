import { z } from "zod";
import { DETAILS } from "../../contract/error-details.ts";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import { operation, reply } from "../../edge/operation.ts";

const entry = z
  .object({
    code: z.string(),
    statuses: z.array(z.int()),
    retry: z.enum(["never", "after_interval", "with_backoff"]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of `error.details`." }),
  })
  .meta({ id: "ErrorCatalogEntry" });

/** Computed once: the catalog does not change while the Worker runs. */
const catalog = () =>
  Object.entries(ERRORS).map(([code, spec]) => ({
    code,
    statuses: [...spec.statuses],
    retry: spec.retry,
    message: spec.message,
    details: z.toJSONSchema(DETAILS[code as ErrorCode], { target: "draft-2020-12" }),
  }));
let computed: ReturnType<typeof catalog> | undefined;

export const listErrors = operation(
  {
    method: "GET",
    path: "/v1/meta/errors",
    summary: "The error catalog",
    role: "anyone",
    reply: { 200: z.object({ data: z.array(entry) }) },
    refuses: [],
  },
  async () => reply(200, { data: (computed ??= catalog()) }),
);
