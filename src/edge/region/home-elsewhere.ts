import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { Call } from "../request/call.ts";
import { peersOf } from "./peer.ts";
import { relay, type RelayedReply } from "./settle.ts";

type PeerCall = Parameters<typeof relay>[0] & Pick<Call, "rawBody">;

/**
 * Forwards a call about something that this region's database does not know but another region's may. The region that
 * knows it answers. If none does, it is not found. If a region does not answer, the result is unknown (503).
 */
export async function askElsewhere(
  call: PeerCall,
): Promise<Refusal<"not_found" | "service_unavailable"> | RelayedReply> {
  // A call from another region was already tried there, so it is not forwarded again.
  if (call.pass !== null) return refuse("not_found");
  const answers = await Promise.allSettled(
    peersOf(call.settings).map((region) => relay(call, region, call.rawBody)),
  );
  let silent = false;
  for (const answer of answers) {
    if (answer.status === "rejected" || isRefusal(answer.value)) silent = true;
    else if (answer.value.relayed.status !== 404) return answer.value;
  }
  return refuse(silent ? "service_unavailable" : "not_found");
}
