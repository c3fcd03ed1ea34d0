import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * With a pass, one region tells another the real caller of a forwarded request and its trace id. A pass is signed,
 * valid for one request, and accepted once: `keeper` is the org whose object, in the receiving region, remembers
 * `nonce` until the pass expires.
 */
export type RegionPass = {
  readonly at: number;
  readonly from: string;
  readonly trace: string;
  readonly address: string;
  readonly nonce: string;
  readonly keeper: string;
  /** The epoch of the keeper that the pass is valid for. An object forgets its nonces when it restarts. */
  readonly epoch: string;
};

/** The request that a pass is valid for. A streamed body is not part of it. */
export type PassedRequest = {
  readonly to: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly authorization: string | null;
  readonly body?: string;
};

export const PASS_LIFE_MS = 15_000;

export function signPass(secret: string, pass: RegionPass, request: PassedRequest): string {
  const claim = Buffer.from(JSON.stringify(pass)).toString("base64url");
  return `${claim}.${signatureOf(secret, claim, request)}`;
}

/** The pass, or null if it is not a recent pass of another region for this request. */
export function readPass(
  secret: string,
  text: string,
  request: PassedRequest,
  now: number,
): RegionPass | null {
  const [claim = "", signature = "", ...rest] = text.split(".");
  if (rest.length > 0) return null;
  const expected = Buffer.from(signatureOf(secret, claim, request));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const pass = JSON.parse(Buffer.from(claim, "base64url").toString()) as RegionPass;
  return Math.abs(now - pass.at) <= PASS_LIFE_MS ? pass : null;
}

function signatureOf(secret: string, claim: string, request: PassedRequest): string {
  const key = createHmac("sha256", secret).update("sluice region pass").digest();
  const { to, method, target, authorization, body } = request;
  const parts = [
    claim,
    to,
    method,
    target,
    digest(authorization ?? ""),
    body === undefined ? "" : digest(body),
  ];
  return createHmac("sha256", key).update(parts.join("\n")).digest("base64url");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
