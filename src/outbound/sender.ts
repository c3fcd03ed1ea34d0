import { exports, WorkerEntrypoint } from "cloudflare:workers";
import { settingsOf } from "../settings.ts";
import { type Letter, outboundRules, post, type Posted } from "./post.ts";

export class Sender extends WorkerEntrypoint<object> {
  send(letter: Letter): Promise<Posted> {
    return post(letter, outboundRules(settingsOf(this.env)));
  }
}

/** The binding to itself that the runtime makes of what the Worker exports. */
const self = exports as unknown as { readonly Sender: Service<Sender> };

/**
 * Posts one letter in an invocation of its own. The platform lets one invocation wait for six answers at a time: sent
 * from an org's object itself, letters to six receivers that hang would hold up the seventh.
 */
export async function sendApart({ url, headers, body }: Letter): Promise<Posted> {
  const { statusCode, retryAfterMs, latencyMs, error, excerpt } = await self.Sender.send({
    url,
    headers,
    body,
  });
  return { statusCode, retryAfterMs, latencyMs, error, excerpt };
}
