import { FREED_HEADER, noteFreedOrg } from "./edge/decision/capacity-freed.ts";
import { serveDecision } from "./edge/decision/serve.ts";
import type { Env } from "./edge/env.ts";
import { handlerOf } from "./entry.ts";

/** The Worker's bindings, and the Worker that is behind this one. */
export interface FrontEnv extends Env {
  readonly REST: Fetcher;
}

/**
 * A small Worker that decides like the whole one, and hands everything else on to it. A cold location starts it in a
 * fraction of the time.
 */
const handle = handlerOf<FrontEnv>({
  decisions: serveDecision,
  rest: (request, env) => handOn(request, env.REST),
});

async function handOn(request: Request, rest: Fetcher): Promise<Response> {
  const answer = await rest.fetch(request);
  const orgId = answer.headers.get(FREED_HEADER);
  if (orgId === null) return answer;
  noteFreedOrg(orgId);
  const relayed = new Response(answer.body, answer);
  relayed.headers.delete(FREED_HEADER);
  return relayed;
}

export default {
  fetch(request, env, context) {
    return handle(request, env, context);
  },
} satisfies ExportedHandler<FrontEnv>;
