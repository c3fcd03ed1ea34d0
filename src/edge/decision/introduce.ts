import { traceParentToStore } from "../../domain/text/traceparent.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import type { IntroductionReply } from "../../gate/snapshot/introduction.ts";
import { cacheKey } from "../identity/identify.ts";
import type { Stranger } from "../identity/stranger.ts";
import { ObjectUnreachable, awaitAnswer } from "../object/unreachable.ts";
import { askHome } from "../region/home.ts";
import type { OrgStub } from "../region/remote-org.ts";
import type { Call } from "../request/call.ts";
import { isShort, readAsk } from "./read-ask.ts";

/**
 * For a decision of a key that this isolate does not know: the org's object tells about the key and decides in the same
 * hop. Every check of the caller follows, in order, before the caller gets what the object decided.
 */
export function introduce(call: Call, stranger: Stranger): Promise<void> | null {
  return isShort(call.request) ? introduceStranger(call, stranger) : null;
}

async function introduceStranger(call: Call, stranger: Stranger): Promise<void> {
  const unread = await readAsk(call);
  if (unread !== null || call.body === undefined) return;
  const askedAt = Date.now();
  let found: IntroductionReply | null;
  try {
    found = await awaitAnswer(introduced(call, stranger, call.body as DecisionAsk));
  } catch (error) {
    // Whether the object decided is unknown, so it is not asked again.
    throw new ObjectUnreachable(String(error), { cause: error });
  }
  if (found === null) return;
  cacheKey(stranger, found.snapshot, askedAt);
  if (found.reply !== null) call.introduced = { askedAt, reply: found.reply };
}

function introduced(
  { env, settings, request, address, trace }: Call,
  { orgId, keyId, digest }: Stranger,
  ask: DecisionAsk,
): Promise<IntroductionReply | null> {
  const parent = traceParentToStore(request.headers.get("traceparent"));
  const asking = { ask, region: settings.SVC_REGION, address, trace, parent };
  const ofObject = async (object: OrgStub) =>
    (await object.introduce(keyId, digest, asking)) as IntroductionReply | null;
  return askHome(env, settings, orgId, ofObject);
}
