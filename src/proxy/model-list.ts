import { isJsonObject } from "../providers/json.ts";
import { isOwnModel } from "../providers/own-model.ts";
import type { Provider } from "../providers/provider.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { badGateway, textWithin } from "./answer.ts";

/** More than the longest list that a provider has. */
const MOST_LIST_BYTES = 8_388_608;
/** The members of an answer that are lists of models. */
const LISTS = ["data", "models"] as const;

/**
 * The answer to a question for models that was asked with the operator's key, without the operator's own: their names tell what it
 * trained, and for whom. An answer that cannot be read is not relayed.
 */
export async function withoutOwnModels(answer: Response, provider: Provider): Promise<Response> {
  if (!answer.ok) return answer;
  const refused = (refusal: WireRefusal) =>
    Response.json(provider.errorBody(refusal), { status: refusal.status });
  if (provider.isOwnModel === "unmarked") {
    await answer.body?.cancel();
    return refused(UNMARKED);
  }
  const value = valueIn(await textWithin(answer, MOST_LIST_BYTES));
  if (value === undefined) return refused(badGateway("The provider's list of models cannot be read."));
  if (isOwnModel(value, provider)) return refused(NO_SUCH_MODEL);
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  return Response.json(shownOf(value, provider), { status: answer.status, headers });
}

function shownOf(value: unknown, provider: Provider): unknown {
  if (Array.isArray(value)) return value.filter((model) => !isOwnModel(model, provider));
  if (!isJsonObject(value)) return value;
  const lists = LISTS.filter((name) => Array.isArray(value[name]));
  return { ...value, ...Object.fromEntries(lists.map((name) => [name, shownOf(value[name], provider)])) };
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const UNMARKED: WireRefusal = {
  status: 403,
  code: "forbidden",
  message:
    "This provider lists the models of the operator's account, too, and does not say which ones they are. Ask with a key of your own, or see the provider's documentation.",
  details: {},
};

const NO_SUCH_MODEL: WireRefusal = {
  status: 404,
  code: "not_found",
  message: "There is no such model.",
  details: {},
};
