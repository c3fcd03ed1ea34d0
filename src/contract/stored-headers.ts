import * as z from "zod";
import { isDeniedHeader } from "./denied-headers.ts";
import { refuseProto } from "./shapes.ts";

const MOST_HEADERS = 10;
const MESSAGE =
  "is a header that cannot be set: Sluice sets it itself, or it would change who calls or what is asked for";
/** Belong to one request, so that no setting has them. */
const OF_ONE_REQUEST = ["traceparent", "tracestate"] as const;

interface StoredHeaders {
  readonly longestValue: number;
  /** In lower case: headers that cannot be set here, beside those that can be set nowhere. */
  readonly denied?: readonly string[];
}

/** Headers that are stored, and sent with each request to an address. */
export function storedHeaders({ longestValue, denied = [] }: StoredHeaders) {
  const others: readonly string[] = [...OF_ONE_REQUEST, ...denied];
  const name = z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header")
    .refine((text) => !isDeniedHeader(text) && !others.includes(text.toLowerCase()), {
      message: MESSAGE,
      params: { code: "invalid_value" },
    });
  const value = z
    .string()
    .min(1)
    .max(longestValue)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII characters");
  const headers = z.record(name, value).refine((given) => Object.keys(given).length <= MOST_HEADERS, {
    message: `must have at most ${MOST_HEADERS} headers`,
    params: { code: "out_of_range" },
  });
  return refuseProto(headers, MESSAGE);
}
