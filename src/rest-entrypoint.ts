import { WorkerEntrypoint } from "cloudflare:workers";
import { FREED_HEADER, readFreedOrg } from "./edge/decision/capacity-freed.ts";
import type { Env } from "./edge/env.ts";
import { handle } from "./worker.ts";

/**
 * Everything that the front Worker does not answer by itself, over a service binding with `entrypoint = "Rest"`. Nobody
 * else reaches it. Its answers also say where a call left room, so that the isolate in front stops refusing there.
 */
export class Rest extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const answer = await handle(request, this.env, this.ctx);
    const orgId = readFreedOrg(request);
    if (orgId === null) return answer;
    // The headers of a response from another region are immutable.
    const response = new Response(answer.body, answer);
    response.headers.set(FREED_HEADER, orgId);
    return response;
  }
}
