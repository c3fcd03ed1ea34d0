import { expect, test } from "vitest";
import { call, newOrg } from "../support/worker.ts";

/** The rest of a body over its limit is read and discarded before the response, up to a bound. */

const MIB = 1_048_576;
const MOST_BODY = MIB;
const MOST_DRAINED = 16 * MIB;
const PIECE = new Uint8Array(64 * 1024).fill(32);

test("an endless body is answered after a bounded number of bytes", async () => {
  const { ownerKey: key } = await newOrg();
  let sent = 0;
  const stream = new ReadableStream({
    pull(controller) {
      sent += PIECE.byteLength;
      controller.enqueue(PIECE.slice());
    },
  });
  const answer = await call("POST", "/v1/runs", { key, stream });
  expect([answer.status, answer.body.error.code]).toEqual([413, "payload_too_large"]);
  expect(sent).toBeGreaterThan(MOST_BODY);
  expect(sent).toBeLessThanOrEqual(MOST_BODY + MOST_DRAINED + MIB);
});

test("a body over the limit that stalls is answered", async () => {
  const { ownerKey: key } = await newOrg();
  let sent = 0;
  const stream = new ReadableStream({
    async pull(controller) {
      // The rest never comes.
      if (sent > 2 * MOST_BODY) await new Promise<never>(() => undefined);
      sent += PIECE.byteLength;
      controller.enqueue(PIECE.slice());
    },
  });
  const answer = await call("POST", "/v1/runs", { key, stream });
  expect([answer.status, answer.body.error.code]).toEqual([413, "payload_too_large"]);
});

test("a body that declares more than is ever discarded is answered unread", async () => {
  const { ownerKey: key } = await newOrg();
  let sent = 0;
  const stream = new ReadableStream(
    {
      pull(controller) {
        sent += PIECE.byteLength;
        controller.enqueue(PIECE.slice());
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-length": String(MOST_BODY + MOST_DRAINED + 1) };
  const answer = await call("POST", "/v1/runs", { key, stream, headers });
  expect([answer.status, sent]).toEqual([413, 0]);
});
