import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import S3rver from "s3rver";
import { isSignedWith } from "./s3-signature.ts";
import { LASTING } from "./lasting.ts";

/** What happens to a request on its way. `lost`: it is carried out, and the answer is not heard. */
export type Fate = "pass" | "fail" | "slow" | "lost" | "held";

/** A real S3 server, behind a door that decides what becomes of each write. */
export interface S3Server {
  readonly destination: object;
  /** The fate of the nth write, counted from 1. */
  fate: (nth: number, key: string) => Fate;
  /** Names of what was written, in order, as often as it was. */
  readonly writes: readonly string[];
  /** Lets go of what is held. */
  release(): void;
  keys(): Promise<string[]>;
  read(key: string): Promise<Buffer>;
  close(): Promise<void>;
}

const BUCKET = "exports";
/** The only key that the server knows. */
const KEY = "S3RVER";
const SLOW_MS = 1500;

export async function startS3(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-s3-"));
  const store = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port: storePort } = await store.run();
  const writes: string[] = [];
  const held: (() => void)[] = [];
  const door = createServer(LASTING, (incoming, outgoing) => {
    const key = decodeURIComponent((incoming.url ?? "").replace(/^\/[^/]+\//, ""));
    if (incoming.method === "PUT") writes.push(key);
    const fate = incoming.method === "PUT" ? server.fate(writes.length, key) : "pass";
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      // The store itself checks no signatures of this version.
      if (incoming.method === "PUT" && !isSignedWith(KEY, incoming, body)) {
        outgoing.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
        return;
      }
      const on = () => pass(incoming, outgoing, { storePort, body, fate });
      if (fate === "fail") outgoing.writeHead(500).end("<Error><Code>InternalError</Code></Error>");
      else if (fate === "slow") setTimeout(on, SLOW_MS);
      else if (fate === "held") held.push(on);
      else on();
    });
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const client = new AwsClient({
    accessKeyId: KEY,
    secretAccessKey: KEY,
    service: "s3",
    region: "us-east-1",
  });
  const read = async (path: string) => {
    const answer = await client.fetch(`${endpoint}/${BUCKET}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const server: S3Server = {
    destination: {
      kind: "s3",
      endpoint,
      bucket: BUCKET,
      prefix: "sluice/usage",
      region: "us-east-1",
      access_key_id: KEY,
      secret_access_key: KEY,
    },
    fate: () => "pass",
    writes,
    release: () => {
      for (const on of held.splice(0)) on();
    },
    async keys() {
      const list = (await read("?list-type=2&max-keys=1000")).toString();
      return Array.from(list.matchAll(/<Key>([^<]+)<\/Key>/g), ([, key = ""]) => key);
    },
    read: (key) => read(`/${key.split("/").map(encodeURIComponent).join("/")}`),
    async close() {
      door.close();
      door.closeAllConnections();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return server;
}

/** Passes a request on as it is: its signature covers the name of the door. */
function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { storePort, body, fate }: { storePort: number; body: Buffer; fate: Fate },
): void {
  const { method, url, headers } = incoming;
  const on = request({ host: "127.0.0.1", port: storePort, method, path: url, headers }, (answer) => {
    if (fate === "lost") {
      answer.resume();
      answer.on("end", () => outgoing.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  on.on("error", () => outgoing.destroy());
  on.end(body);
}
