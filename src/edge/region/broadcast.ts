import { isRefusal } from "../../contract/refusal.ts";
import type { Call } from "../request/call.ts";
import { ObjectUnreachable } from "../object/unreachable.ts";
import { peersOf } from "./peer.ts";
import { relay } from "./settle.ts";

type BroadcastCall = Parameters<typeof relay>[0] & Pick<Call, "rawBody">;

/** Repeats a call in every other region. Returns the regions that failed. */
export async function broadcast(call: BroadcastCall): Promise<string[]> {
  // A call from another region was already broadcast there.
  if (call.pass !== null) return [];
  const outcomes = await Promise.all(
    peersOf(call.settings).map(async (region) => ((await isDoneIn(call, region)) ? [] : [region])),
  );
  return outcomes.flat();
}

async function isDoneIn(call: BroadcastCall, region: string): Promise<boolean> {
  try {
    const answer = await relay(call, region, call.rawBody);
    return !isRefusal(answer) && answer.relayed.ok;
  } catch (error) {
    if (error instanceof ObjectUnreachable) return false;
    throw error;
  }
}
