import { isJsonObject, type JsonObject } from "../../providers/json.ts";
import { Unmetered } from "../../providers/unmetered.ts";
import type { ReadRequest } from "../fetch-fallbacks.ts";
import type { Fetch } from "../fetch-options.ts";
import { readRequest } from "../governed-request.ts";

/** A model of the SDK. */
export interface CalledModel {
  readonly provider: string;
  readonly modelId: string;
}

/** A method by which the SDK calls a model, and what it gives it. */
export interface MethodCall {
  readonly method: "doGenerate" | "doStream" | "doEmbed";
  readonly params: unknown;
}

/** A call of a model that has written its request and waits for the answer. Nothing was sent yet. */
export interface PausedCall {
  readonly request: ReadRequest;
  readonly init: RequestInit | undefined;
  /** Goes on with the provider's answer. Resolves with the result of the model's method. */
  resume(answer: Promise<Response>): Promise<unknown>;
}

/** Calls a model up to its first request. Rejects with what the model throws before it. */
export function pausedCall(
  model: CalledModel,
  call: MethodCall,
  /** Makes the requests of the same call after the first. */
  laterFetch: Fetch,
): Promise<PausedCall> {
  return new Promise((resolve, reject) => {
    let isFirst = true;
    const pause: Fetch = (input, init) => {
      if (!isFirst) return laterFetch(input, init);
      isFirst = false;
      return new Promise((answer) => {
        const resume = (answered: Promise<Response>) => {
          answer(answered);
          return result;
        };
        readRequest(input, init).then((request) => resolve({ request, init, resume }), reject);
      });
    };
    const result = (async () => callWith(pause, model, call))();
    // A model that answers without a request to this `fetch` has made it by another.
    result.then(() => reject(notGoverned(model)), reject);
  });
}

/** The `fetch` that a model makes its requests with. Throws `Unmetered` for a model that does not say. */
export function fetchOf(model: CalledModel): Fetch {
  const { fetch: own } = configOf(model);
  return typeof own === "function" ? (own as Fetch) : (input, init) => fetch(input, init);
}

/** Models of the SDK's packages have their options in `config`, with a `fetch` that may be undefined. */
function configOf(model: CalledModel): JsonObject {
  const { config } = model as { readonly config?: unknown };
  if (isJsonObject(config) && "fetch" in config) return config;
  throw notGoverned(model);
}

/**
 * Calls a copy of a model that has another `fetch`. The SDK puts a model of an older version into an object that translates for
 * it, and nobody else can. So the call goes to that object, and the method inside of it is replaced until it is called.
 */
function callWith(fetch: Fetch, model: CalledModel, { method, params }: MethodCall): unknown {
  const copy = copyWith(model, { config: copyWith(configOf(model), { fetch }) });
  // A function of the model itself would still use the model's own `fetch`.
  if (Object.hasOwn(model, method)) throw notGoverned(model);
  const value = (given: unknown) => {
    Reflect.deleteProperty(model, method);
    return callMethod(copy, method, given);
  };
  Object.defineProperty(model, method, { configurable: true, value });
  return callMethod(model, method, params);
}

function callMethod(model: CalledModel, method: string, params: unknown): unknown {
  return Reflect.apply(Reflect.get(model, method) as () => unknown, model, [params]);
}

function copyWith<T extends object>(original: T, members: object): T {
  const descriptors = Object.getOwnPropertyDescriptors({ ...members });
  return Object.create(Object.getPrototypeOf(original) as object | null, {
    ...Object.getOwnPropertyDescriptors(original),
    ...descriptors,
  }) as T;
}

function notGoverned({ provider, modelId }: CalledModel): Unmetered {
  return new Unmetered(
    403,
    `The requests of ${provider} ${modelId} cannot be seen here. Put this middleware last, directly around the provider's model, or give the provider governedFetch as its "fetch".`,
  );
}
