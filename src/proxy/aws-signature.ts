import { AwsV4Signer } from "aws4fetch";
import type { AwsCredentials } from "../providers/provider.ts";

interface RequestToSign {
  readonly url: string;
  readonly method: string;
  readonly body: BodyInit | null;
}

interface SignedRequest {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** An address of Bedrock says its region, also that of an endpoint in a network of one's own. */
const REGION = /(?:^|\.)[a-z-]+-runtime(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d)\./;
const USUAL_REGION = "us-east-1";

/**
 * The headers that sign a request (Signature Version 4). Only those that the signature needs are signed: what a runtime adds or
 * changes on the way would make it invalid.
 */
export async function signRequest(
  { service, accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { url, method, body }: RequestToSign,
): Promise<SignedRequest> {
  const to = new URL(url);
  to.pathname = to.pathname.split("/").map(encoded).join("/");
  const { headers } = await new AwsV4Signer({
    url: to.href,
    method,
    ...(typeof body === "string" || body instanceof Uint8Array ? { body } : {}),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service,
    region: REGION.exec(to.hostname)?.[1] ?? USUAL_REGION,
  }).sign();
  headers.delete("host");
  return { url: to.href, headers: [...headers] };
}

/** Amazon's own SDKs encode what stands in a path, and the signature is of that spelling. */
function encoded(segment: string): string {
  return encodeURIComponent(decodeURIComponent(segment));
}
