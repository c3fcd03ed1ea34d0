import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";

/** A typical rate limiter over Redis: Node, the package's own client, one round trip to Redis per call. */
const redis = new Redis(Number(process.argv[2]), "127.0.0.1");
const limiter = new RateLimiterRedis({ storeClient: redis, points: 1e9, duration: 60 });
/** The same size as the reference's. */
const ANSWER = { decision: "allow", padding: "x".repeat(640) };

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as { request_id: string; customer_id: string };
  const { remainingPoints } = await limiter.consume(body.customer_id);
  const said = JSON.stringify({ ...ANSWER, request_id: body.request_id, remainingPoints });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(said) });
  response.end(said);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
