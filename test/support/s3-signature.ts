import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** Whether a request without a query is signed with this secret (SigV4), its body included. */
export function isSignedWith(
  secret: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): boolean {
  const authorization = headers.authorization ?? "";
  const scope = /Credential=[^/]+\/([^,]+)/.exec(authorization)?.[1] ?? "";
  const signedHeaders = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? "";
  const signature = /Signature=([0-9a-f]+)/.exec(authorization)?.[1] ?? "";
  const digest = String(headers["x-amz-content-sha256"]);
  if (digest !== sha256(body) || !signedHeaders.split(";").includes("x-amz-content-sha256")) return false;
  const lines = signedHeaders.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url, "", lines.join(""), signedHeaders, digest].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`);
  return hmac(key, toSign).toString("hex") === signature;
}
