import { DECISION } from "./contract/decision.ts";
import { FREED_HEADER, heedTold } from "./edge/decision/capacity-freed.ts";
import type { Env } from "./edge/env.ts";
import { isInTheClear } from "./edge/request/transport.ts";
import { handlerOf, loadedLater } from "./entry.ts";

/** The Worker's bindings, and the Worker that is behind this one. */
export interface FrontEnv extends Env {
  readonly REST: Fetcher;
}

const decisions = loadedLater(async () => {
  const { createDecisionApp } = await import("./decision-app.ts");
  return createDecisionApp().fetch;
});

/**
 * A small Worker that decides like the whole one, and hands everything else on to it. A cold location starts it in a
 * fraction of the time.
 */
const handle = handlerOf<FrontEnv>((request, env, context) =>
  isDecision(request) && !isInTheClear(request.url, env)
    ? decisions(request, env, context)
    : handOn(request, env.REST),
);

/** Anything with a query, or spelled differently, is left to the router behind. */
function isDecision({ method, url }: Request): boolean {
  return method === DECISION.method && url.endsWith(DECISION.path) && new URL(url).pathname === DECISION.path;
}

async function handOn(request: Request, rest: Fetcher): Promise<Response> {
  const answer = await rest.fetch(request);
  const orgId = answer.headers.get(FREED_HEADER);
  if (orgId === null) return answer;
  heedTold(orgId);
  const relayed = new Response(answer.body, answer);
  relayed.headers.delete(FREED_HEADER);
  return relayed;
}

export default {
  fetch(request, env, context) {
    return handle(request, env, context);
  },
} satisfies ExportedHandler<FrontEnv>;
