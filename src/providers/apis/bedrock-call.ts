import { Unmetered } from "../unmetered.ts";
import type { RequestContext } from "../provider-api.ts";

/**
 * The first says in which form a stream is wanted. Others choose a tier, a latency or a guardrail, which have prices of their
 * own.
 */
export const BEDROCK_HEADERS: ReadonlySet<string> = new Set(["x-amzn-bedrock-accept", "x-amzn-trace-id"]);
/** The id of a model has a digit or a letter first, and is no address of a resource. */
const MODEL_ID = /^(?!arn:)[a-z0-9][a-z0-9.:_-]*$/i;

/** The model of a call's path. Throws `Unmetered`. */
export function calledModel({ pathModel }: RequestContext): string {
  if (pathModel !== null && MODEL_ID.test(pathModel)) return pathModel;
  throw new Unmetered(
    400,
    "Name the model in the path by its id, or by that of an inference profile. An ARN has no price.",
  );
}
