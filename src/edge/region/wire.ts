/** Calls to an object in another region, as JSON. */

/** The largest call that a region reads. */
export const MOST_CALL_BYTES = 4_194_304;

export interface ObjectCall {
  readonly org: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

export { fromExactJson as fromWire, toExactJson as toWire } from "../../domain/text/exact-json.ts";
