import { createHash, createHmac, randomBytes } from "node:crypto";
import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";
import { sameSecret } from "../../domain/key/api-key.ts";
import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import { peppersOf, type Settings } from "../../settings.ts";

/**
 * An operator's session is a signed cookie, and a row in D1 that ends it when it is deleted. The cookie names no secret. The
 * signature covers the operator key, so a new key ends every session.
 */

export const MOST_MS = 12 * HOUR_MS;
const IDLE_MS = 60 * MINUTE_MS;

export interface OperatorSession {
  readonly id: string;
  readonly startedMs: number;
  readonly seenMs: number;
}

function cookieName(request: Request): string {
  return isSecure(request) ? "__Host-svc_operator" : "svc_operator";
}

function macs(settings: Settings, said: string): string[] {
  const key = createHash("sha256").update(settings.SVC_OPERATOR_KEY).digest("base64url");
  return peppersOf(settings).map((pepper) =>
    createHmac("sha256", pepper).update(`operator session:${key}:${said}`).digest("base64url"),
  );
}

export function newOperatorSession(nowMs: number): OperatorSession {
  return { id: randomBytes(16).toString("base64url"), startedMs: nowMs, seenMs: nowMs };
}

/** The session of a request. Null without one, or if it is forged, too old or was idle for too long. */
export function operatorSession(request: Request, settings: Settings, nowMs: number): OperatorSession | null {
  const text = readCookie(request, cookieName(request)) ?? "";
  const [, said = "", started, seen, id = "", mac = ""] =
    /^((\d{13})\.(\d{13})\.([\w-]{22}))\.([\w-]{43})$/.exec(text) ?? [];
  if (!macs(settings, said).some((good) => sameSecret(mac, good))) return null;
  const session = { id, startedMs: Number(started), seenMs: Number(seen) };
  return isWithinTime(session, nowMs) ? session : null;
}

/** Returns whether a session is neither too old nor was idle for too long. */
export function isWithinTime(
  { startedMs, seenMs }: Pick<OperatorSession, "startedMs" | "seenMs">,
  nowMs: number,
): boolean {
  return seenMs <= nowMs && nowMs < startedMs + MOST_MS && nowMs < seenMs + IDLE_MS;
}

/** The cookie that continues a session, as seen now. */
export function operatorCookie(
  request: Request,
  settings: Settings,
  { id, startedMs }: OperatorSession,
  nowMs: number,
): string {
  const said = `${startedMs}.${nowMs}.${id}`;
  return written(request, `${said}.${macs(settings, said)[0] ?? ""}`, IDLE_MS / 1000);
}

export function endedOperatorCookie(request: Request): string {
  return written(request, "", 0);
}

function written(request: Request, value: string, seconds: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}
