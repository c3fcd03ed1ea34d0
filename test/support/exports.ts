import type { Spender } from "./ledger.ts";

/** Exports of runs by schedule. */

export const HOUR = 3600;
export const BUCKET = { kind: "bucket", prefix: "usage" };
export const S3 = {
  kind: "s3",
  // Nothing listens there.
  endpoint: "http://127.0.0.1:9",
  bucket: "runs",
  prefix: "",
  region: "auto",
  access_key_id: "AKIA",
  secret_access_key: "a-secret-that-is-never-read-back",
};

export const put = (org: Spender, name: string, more: object = {}) =>
  org.send("PUT", `exports/${name}`, { format: "ndjson", every: "hour", destination: BUCKET, ...more });
