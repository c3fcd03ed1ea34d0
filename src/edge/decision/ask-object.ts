import type { DecisionReply } from "../../gate/decision/object-verdict.ts";
import type { OrgGate } from "../../gate/org-gate.ts";
import type { DecisionCall } from "../../org/decision-handler.ts";
import { ASK_ALONE } from "../../gate/decision/decided-together.ts";
import { awaitAnswer } from "../object/unreachable.ts";
import { DecisionBatcher } from "./decision-batcher.ts";
import type { ObjectBackground } from "./gates.ts";

const lines = new WeakMap<OrgGate, DecisionBatcher>();

function lineOf(gate: OrgGate): DecisionBatcher {
  let line = lines.get(gate);
  if (line === undefined) lines.set(gate, (line = new DecisionBatcher()));
  return line;
}

/**
 * A decision of the org's object, asked for together with those of other requests, also where it brings a decision plan back: hundreds
 * of customers may call an isolate for the first time at once. One that takes a report along does not wait for others: its
 * slices are good for about a second from when it was asked. Null if there is no such org.
 */
export async function askObject(
  gate: OrgGate | null,
  call: DecisionCall,
  background: ObjectBackground,
): Promise<DecisionReply | null> {
  const { ask, keyId, wantsPlan, envelope, report } = call;
  if (gate !== null && background.isHere && report === null) {
    const reply = await lineOf(gate).ask({ ask, keyId, wantsPlan, envelope }, background);
    if (reply !== ASK_ALONE) return reply;
  }
  return await awaitAnswer(background.object().decide(call));
}
