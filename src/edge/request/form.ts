import { recheck } from "../identity/recheck.ts";
import { checkIfMatch, readBody, readIdempotencyKey } from "./body.ts";
import type { Check } from "./operation-types.ts";
import { validateBody, validateHeaders, validateQuery } from "./validate.ts";

/** Checks of the call itself, in the contract's order. */
export const FORM: readonly Check[] = [
  validateQuery,
  validateHeaders,
  readBody,
  recheck,
  (call) => (call.op.lazyBody === true ? null : validateBody(call)),
  checkIfMatch,
  readIdempotencyKey,
];
