import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";

export * from "../../src/index.ts";

/**
 * The Worker in an isolate that a test can make odd, by a header on any request: set its clock apart from all others, or
 * have it vanish, so that nothing it has not reported yet is ever reported, while its callers have their answers.
 */
const realNow = Date.now.bind(Date);
let apartMs = 0;
let gone = false;
Date.now = () => realNow() + apartMs;

const NEVER = new Promise<never>(() => {});

function cutOff(env: Env): Env {
  const silent = new Proxy(env.ORG, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name) as unknown;
      return (id: string) =>
        new Proxy(env.ORG.getByName(id), {
          get: (stub, method) =>
            method === "syncLeases" ? () => NEVER : (Reflect.get(stub, method) as unknown),
        });
    },
  });
  return { ...env, ORG: silent };
}

export default {
  fetch(request, env, context) {
    apartMs = Number(request.headers.get("x-test-apart-ms") ?? apartMs);
    gone ||= request.headers.has("x-test-vanish");
    return worker.fetch(request, gone ? cutOff(env) : env, context);
  },
} satisfies ExportedHandler<Env>;
