import type { Destination } from "../../contract/resources/exports.ts";
import { putSigned } from "../../outbound/put-object.ts";
import type { View } from "../kernel/door.ts";
import { secretOf } from "./secret.ts";
import { destinationOf, type FileExportRow } from "./store.ts";

/** A file on its way to where an export is kept. */
interface UploadRequest {
  /** Below the destination. */
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly media: string;
  readonly sha256: string;
}

const BUCKET_MS = 60_000;

/** Writes one file. Null if it is there; otherwise what failed, in words that have no secret. */
export async function putFile(
  view: View,
  bucket: R2Bucket | undefined,
  row: FileExportRow,
  file: UploadRequest,
): Promise<string | null> {
  const destination = destinationOf(row);
  if (destination.kind === "otlp") throw new Error("files are not sent to a receiver of spans");
  if (destination.kind === "s3") return putInStorage(view, row, destination, file);
  if (bucket === undefined) return "this region has no bucket";
  // Beside what else the bucket has, and apart from other orgs.
  const put = bucket
    .put(`exports/${view.orgId}/${file.key}`, file.bytes, {
      sha256: file.sha256,
      httpMetadata: { contentType: file.media },
    })
    .then(
      (object) => (object === null ? "the bucket did not take the file" : null),
      () => "the bucket failed",
    );
  return Promise.race([put, scheduler.wait(BUCKET_MS).then(() => "timeout")]);
}

function putInStorage(
  view: View,
  row: FileExportRow,
  destination: Extract<Destination, { kind: "s3" }>,
  file: UploadRequest,
): Promise<string | null> {
  const { endpoint, bucket, region, access_key_id: accessKeyId } = destination;
  const secretAccessKey = secretOf(row, view.settings);
  return putSigned({ endpoint, bucket, region, accessKeyId, secretAccessKey }, file);
}
