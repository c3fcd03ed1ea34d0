import { Unmetered } from "../unmetered.ts";
import type { RequestContext } from "../provider-api.ts";

/** Says in which form a stream is wanted, and nothing of its price. */
const ACCEPT = "x-amzn-bedrock-accept";
/** The id of a model has a digit or a letter first, and is no address of a resource. */
const MODEL_ID = /^(?!arn:)[a-z0-9][a-z0-9.:_-]*$/i;

/**
 * The model of a call's path. Headers that choose a tier, a latency or a guardrail have prices of their own. Throws
 * `Unmetered`.
 */
export function calledModel({ pathModel, headers }: RequestContext): string {
  const costly = [...headers.keys()].find((name) => name.startsWith("x-amzn-bedrock-") && name !== ACCEPT);
  if (costly !== undefined) throw new Unmetered(403, `${costly} is not metered by this proxy. Leave it out.`);
  if (pathModel !== null && MODEL_ID.test(pathModel)) return pathModel;
  throw new Unmetered(
    400,
    "Name the model in the path by its id, or by that of an inference profile. An ARN has no price.",
  );
}
