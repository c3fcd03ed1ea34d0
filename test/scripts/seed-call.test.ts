import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { seedCall } from "../../scripts/seeding/call.ts";

/** A server that breaks off the first calls, and answers the next. */
async function brokenOff(calls: number): Promise<{ url: string; server: Server }> {
  let left = calls;
  const server = createServer((request, response) => {
    left -= 1;
    if (left >= 0) request.socket.destroy();
    else response.end('{"made":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test("a call of a seeding that got no answer is sent again", async () => {
  const { url } = await brokenOff(2);
  const answer = await seedCall<{ made: boolean }>({ url, key: "k" }, { method: "POST", path: "/x" });
  expect(answer).toEqual({ made: true });
});
