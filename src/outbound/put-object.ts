import { AwsV4Signer } from "aws4fetch";
import { sendApart } from "./sender.ts";

/** Where a customer keeps objects, and what signs requests to it. */
interface Storage {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface NewObject {
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly media: string;
  readonly sha256: string;
}

/** A file is a few MiB: slower than this is as good as never. */
const TIMEOUT_MS = 60_000;

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/**
 * Puts an object into S3-compatible storage, with the checks of every request to an address that a customer named. The
 * digest of the content is signed, so that storage refuses what it did not receive whole. Null if it is there; otherwise what
 * failed.
 */
export async function putSigned(storage: Storage, object: NewObject): Promise<string | null> {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = storage;
  const signed = await new AwsV4Signer({
    method: "PUT",
    url: `${endpoint.replace(/\/+$/, "")}/${bucket}/${encoded(object.key)}`,
    headers: { "content-type": object.media, "x-amz-content-sha256": object.sha256 },
    accessKeyId,
    secretAccessKey,
    service: "s3",
    region,
  }).sign();
  const { statusCode, error, excerpt } = await sendApart({
    method: "PUT",
    url: signed.url.href,
    headers: Object.fromEntries(signed.headers),
    body: object.bytes,
    timeoutMs: TIMEOUT_MS,
  });
  if (statusCode === null) return error;
  if (statusCode >= 200 && statusCode < 300) return null;
  const [, code = ""] = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(excerpt) ?? [];
  return `status ${statusCode} ${code}`.trimEnd();
}
