import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * What one region tells another about a request that it hands on: who really called, and under which trace. It is
 * believed only with a signature that no client can make, and only for this very request.
 */
export type RegionPass = {
  readonly at: number;
  readonly from: string;
  readonly trace: string;
  readonly address: string;
};

/** The request that a pass is good for. A body that is streamed on, unread, is not part of it. */
export type PassedRequest = {
  readonly to: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly authorization: string | null;
  readonly body?: string;
};

const LIFE_MS = 30_000;

export function signPass(pepper: string, pass: RegionPass, request: PassedRequest): string {
  const claim = Buffer.from(JSON.stringify(pass)).toString("base64url");
  return `${claim}.${signatureOf(pepper, claim, request)}`;
}

/** The pass, or null when it was not made by a region of this service, for this request, within the last half minute. */
export function readPass(
  pepper: string,
  text: string,
  request: PassedRequest,
  now: number,
): RegionPass | null {
  const [claim = "", signature = "", ...rest] = text.split(".");
  if (rest.length > 0) return null;
  const expected = Buffer.from(signatureOf(pepper, claim, request));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const pass = JSON.parse(Buffer.from(claim, "base64url").toString()) as RegionPass;
  return Math.abs(now - pass.at) <= LIFE_MS ? pass : null;
}

function signatureOf(pepper: string, claim: string, request: PassedRequest): string {
  const key = createHmac("sha256", pepper).update("sluice region pass").digest();
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
