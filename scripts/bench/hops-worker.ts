import type { Env } from "../../src/edge/env.ts";
import front from "../../src/front.ts";
import { CALLS_HEADER } from "./calls-header.ts";

export * from "../../src/index.ts";

/** Decisions as the front Worker makes them. Each answer says which methods of the org's object it called, in order. */
export default {
  async fetch(request, env, context) {
    const calls: string[] = [];
    const ORG = { getByName: (name: string) => noted(env, name, calls) } as unknown as Env["ORG"];
    const answer = await front.fetch(request, { ...env, ORG, REST: await behind() }, context);
    const told = new Response(answer.body, answer);
    told.headers.set(CALLS_HEADER, calls.join(" "));
    return told;
    async function behind(): Promise<Fetcher> {
      const { default: whole } = await import("../../src/index.ts");
      const handed = async (asked: Request) => whole.fetch(asked as typeof request, env, context);
      return { fetch: handed } as unknown as Fetcher;
    }
  },
} satisfies ExportedHandler<Env>;

function noted(env: Env, name: string, calls: string[]): DurableObjectStub {
  const stub = env.ORG.getByName(name);
  return new Proxy(stub, {
    get(_, method: string) {
      calls.push(method);
      return (...given: unknown[]) =>
        (stub as unknown as Record<string, (...args: unknown[]) => unknown>)[method]?.(...given);
    },
  });
}
