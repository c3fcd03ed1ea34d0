import * as z from "zod";
import { DETAILS } from "../../contract/error-details.ts";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import { errorCatalog } from "../../contract/resources/meta.ts";
import { operation, reply } from "../../edge/request/operation.ts";

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
    summary: "List error codes",
    role: "anyone",
    reply: { 200: errorCatalog },
    refuses: [],
  },
  async () => reply(200, { data: (computed ??= catalog()) }),
);
