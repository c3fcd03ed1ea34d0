import { findProviderRoute } from "../providers/by-url.ts";
import type { Fetch, GovernedFetchOptions } from "./fetch-options.ts";
import { readRequest } from "./governed-request.ts";
import { checkOtherPaths } from "./other-paths.ts";
import { refusalOf, refusalResponse } from "./refusal-response.ts";
import { makeRequest } from "./request-way.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";
export type { GovernedFetchOptions } from "./fetch-options.ts";

/**
 * A `fetch` for the SDKs of OpenAI and Anthropic that asks before each call and settles it when its answer ends, however that
 * is. A refusal is an answer with the refusal's status, which SDKs throw as an error of theirs.
 */
export function governedFetch(options: GovernedFetchOptions): Fetch {
  checkOtherPaths(options.otherPaths ?? {}, "otherPaths");
  return async (input, init) => {
    const request = await readRequest(input, init);
    const at = findProviderRoute(request.method, request.url, options.provider);
    try {
      return await makeRequest({ request, at, init, options });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return refusalResponse(refusal, at.provider.errorBody);
    }
  };
}
