import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { settingsOf } from "../../settings.ts";
import {
  checkAddress,
  checkOrgActive,
  checkPath,
  checkRole,
  checkScope,
  checkTenant,
} from "../identity/admit.ts";
import { checkCustomer } from "../identity/customer.ts";
import { identify, noteEndedCall } from "../identity/identify.ts";
import { noteFreedCapacity } from "../decision/capacity-freed.ts";
import { checkRate, countMalformed } from "../decision/request-rate.ts";
import type { Env } from "../env.ts";
import { withReachableDatabase } from "../object/reachable-database.ts";
import { passOf, acceptPass } from "../region/pass.ts";
import { type RelayedReply, settleRegion } from "../region/settle.ts";
import { answerRecorded, checkSupport } from "../support/support.ts";
import { Call } from "./call.ts";
import { noteDeprecated } from "./note-deprecated.ts";
import type { Check, Operation, Result } from "./operation-types.ts";
import { describeFailure, respond } from "./respond.ts";

/** Checks of the caller, before the call is read, in the contract's order. */
const ADMISSION: readonly Check[] = [
  checkPath,
  checkOrgActive,
  checkAddress,
  checkCustomer,
  checkTenant,
  checkSupport,
  checkRole,
  checkScope,
  settleRegion,
  checkRate,
];

async function answer(operation: Operation, call: Call): Promise<Result> {
  if (operation.contract.role !== "anyone") {
    const identified = identify(call, operation.introduce);
    const refusal = identified instanceof Promise ? await identified : identified;
    if (refusal !== null) return refusal;
  }
  const admitted = firstRefusal(ADMISSION, call);
  const refused = admitted instanceof Promise ? await admitted : admitted;
  if (refused !== null) return endedOr(call, refused);
  const malformed = await firstRefusal(operation.form, call);
  if (malformed !== null) return endedOr(call, (await countMalformed(call)) ?? malformed);
  return operation.handle(call);
}

/** A key that has ended is told so before anything else that is wrong with its call. */
function endedOr<R extends Refusal | RelayedReply>(call: Call, refused: R): R | Refusal {
  return call.caller?.ended !== undefined && isRefusal(refused) ? call.caller.ended : refused;
}

type CheckResult = Refusal | RelayedReply | null;

/** The checks wait only where one of them has to: most calls pass them at once. */
function firstRefusal(checks: readonly Check[], call: Call, from = 0): CheckResult | Promise<CheckResult> {
  for (let at = from; at < checks.length; at += 1) {
    const found = checks[at]?.(call) ?? null;
    if (found instanceof Promise) return found.then((one) => one ?? firstRefusal(checks, call, at + 1));
    if (found !== null) return found;
  }
  return null;
}

/** A request as it arrived, and the parameters of its path. */
export interface ArrivedRequest {
  readonly request: Request;
  readonly url: string;
  readonly env: Env;
  readonly context: ExecutionContext;
  readonly params: Readonly<Record<string, string>>;
}

/** Answers a call of one operation: the only way from a request to an answer. */
export async function serveCall(
  operation: Operation,
  { request, url, env, context, params }: ArrivedRequest,
): Promise<Response> {
  const settings = settingsOf(env);
  const now = Date.now();
  const pass = passOf(request, settings, now);
  const call = new Call({
    op: operation.contract,
    request,
    url,
    env: withReachableDatabase(env),
    settings,
    context,
    params,
    trace: pass?.trace ?? crypto.randomUUID(),
    now,
    pass,
  });
  let result: Result;
  try {
    const passHeaders = pass === null ? null : await acceptPass(env, settings, pass);
    if (passHeaders !== null) Object.assign(call.headers, passHeaders);
    result = passHeaders === null ? await answer(operation, call) : refuse("service_unavailable");
    noteDeprecated(call, result);
  } catch (error) {
    result = describeFailure(call, error);
  }
  call.bodyHold?.release();
  if (call.caller?.ended !== undefined && isRefusal(result)) noteEndedCall(call);
  noteFreedCapacity(call);
  return respond(call, call.caller?.support ? await answerRecorded(call, result) : result);
}
