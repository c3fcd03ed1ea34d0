import { exports, WorkerEntrypoint } from "cloudflare:workers";
import { settingsOf } from "../settings.ts";
import { type Letter, outboundRules, post, type PostResult } from "./post.ts";

export class Sender extends WorkerEntrypoint<object> {
  send(letter: Letter): Promise<PostResult> {
    return post(letter, outboundRules(settingsOf(this.env)));
  }
}

/** The runtime's binding to the Worker's own exports. */
const self = exports as unknown as { readonly Sender: Service<Sender> };

/**
 * Posts one letter in its own invocation. The platform lets one invocation wait for six responses at a time. If the
 * org's object sent letters itself, six receivers that hang would delay the seventh.
 */
export async function sendApart({
  url,
  headers,
  body,
  method = "POST",
  timeoutMs,
}: Letter): Promise<PostResult> {
  const { statusCode, retryAfterMs, latencyMs, error, excerpt } = await self.Sender.send({
    url,
    headers,
    body,
    method,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { statusCode, retryAfterMs, latencyMs, error, excerpt };
}
