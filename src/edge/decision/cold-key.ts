import { traceParentToStore } from "../../domain/text/traceparent.ts";
import { type Settings, settingsOf } from "../../settings.ts";
import type { Introduced, Introduction } from "../../gate/snapshot/introduction.ts";
import { plainAsk } from "../../gate/decision/plain-ask.ts";
import { callerAddress } from "../request/call.ts";
import { deprecationCopy } from "../request/deprecation.ts";
import type { Env } from "../env.ts";
import { acquaint, type Stranger, strangerOf } from "../identity/identify.ts";
import { askHome } from "../region/home.ts";
import type { OrgStub } from "../region/remote-org.ts";
import { ObjectUnreachable, patiently } from "../object/unreachable.ts";
import { again, bytesOf, cutOff, plainLength } from "./body-bytes.ts";
import { foretell } from "./foretold.ts";

export type Serve = (request: Request) => Response | Promise<Response>;

export interface Arrived {
  readonly request: Request;
  readonly env: Env;
  readonly context: ExecutionContext;
  readonly serve: Serve;
}

/**
 * A decision of a key that this isolate does not know. Its org's object tells about the key and decides in the same
 * hop. The pipeline then makes every check, in order, and answers with what the object decided. Null: not for this path.
 */
export function decideColdKey(arrived: Arrived, now: number): Promise<Response> | null {
  const { request, env, context } = arrived;
  const settings = settingsOf(env);
  const bytes = plainLength(request.headers);
  const stranger = bytes === null ? null : strangerOf(request.headers, settings, now);
  if (bytes === null || stranger === null) return null;
  if (deprecationCopy.renewal(now) === "blocking") {
    // The response needs it too, so it is fetched beside the decision.
    context.waitUntil(deprecationCopy.renew(env.REGISTRY, now).catch(() => undefined));
  }
  return decideRead(arrived, settings, stranger, bytes);
}

async function decideRead(
  { request, env, serve }: Arrived,
  settings: Settings,
  stranger: Stranger,
  bytes: number,
): Promise<Response> {
  let text: string;
  try {
    text = await request.text();
  } catch {
    return serve(again(request, cutOff()));
  }
  const asked = again(request, bytesOf(text, bytes));
  const ask = plainAsk(text);
  if (ask === null) return serve(asked);
  const trace = crypto.randomUUID();
  const askedAt = Date.now();
  try {
    const parent = traceParentToStore(request.headers.get("traceparent"));
    const asking = { ask, region: settings.SVC_REGION, address: callerAddress(request), trace, parent };
    const found = await introduced(env, settings, stranger, asking);
    if (found === null) return serve(asked);
    acquaint(stranger, found.snapshot, askedAt);
    if (found.reply !== null) foretell(asked, { trace, askedAt, reply: found.reply });
  } catch (error) {
    foretell(asked, { trace, askedAt, reply: new ObjectUnreachable(String(error), { cause: error }) });
  }
  return serve(asked);
}

async function introduced(
  env: Env,
  settings: Settings,
  { orgId, keyId, digest }: Stranger,
  asking: Introduction,
): Promise<Introduced | null> {
  const ask = async (object: OrgStub) => (await object.introduce(keyId, digest, asking)) as Introduced | null;
  return await patiently(askHome(env, settings, orgId, ask));
}
