import * as z from "zod";
const errorEntry = z
  .object({
    code: z.string(),
    statuses: z.array(z.int()),
    retry: z.enum(["never", "after_interval", "with_backoff"]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of `error.details`." }),
  })
  .meta({ id: "ErrorCatalogEntry" });

export const errorCatalog = z.object({ data: z.array(errorEntry) });

export const openApiDocument = z.looseObject({ openapi: z.string() });
