import { DurableObject } from "cloudflare:workers";
import { createHmac } from "node:crypto";

export { CounterShard } from "./platform/counter-shard.ts";
export { DeprecationRegistry } from "./platform/deprecation-registry.ts";

export class OrgObject extends DurableObject {
  hello(): string {
    return createHmac("sha256", "k").update("x").digest("hex");
  }
}

export default {
  async fetch(_request: Request, env: { ORG: DurableObjectNamespace<OrgObject> }): Promise<Response> {
    return new Response(await env.ORG.getByName("x").hello());
  },
};
