import { expect, test, vi } from "vitest";
import { discover } from "../../src/web/sso/provider.ts";
import { call } from "../support/worker.ts";

/** Bodies that arrive a byte at a time. Each byte in its own buffer would take a gigabyte, and many times as long. */

const BYTES = 20_000;
/** Of as many bytes as are gathered, and the end. */
const MOST_READS = 5;

/** A body that comes in this many pieces of one byte. */
function byByte(): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const write = async () => {
    const writer = writable.getWriter();
    for (let sent = 0; sent < BYTES; sent += 1) await writer.write(new Uint8Array([0x20]));
    await writer.close();
  };
  write().catch(() => undefined);
  return readable;
}

/** How many pieces are read meanwhile, by any reader. */
async function readsDuring(work: () => Promise<void>): Promise<number> {
  const readers = [
    vi.spyOn(ReadableStreamBYOBReader.prototype as unknown as { readAtLeast: () => unknown }, "readAtLeast"),
    vi.spyOn(ReadableStreamBYOBReader.prototype, "read"),
    vi.spyOn(ReadableStreamDefaultReader.prototype, "read"),
  ];
  try {
    await work();
    return readers.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const reader of readers) reader.mockRestore();
  }
}

test("a body that arrives a byte at a time is gathered, not stored byte by byte", async () => {
  const reads = await readsDuring(async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const path = "/saml/org_01J00000000000000000000000/acs";
    expect((await call("POST", path, { stream: byByte(), headers })).status).toBe(401);
  });
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(MOST_READS);
});

test("so is the response of an identity provider", async () => {
  const connection = { issuer: "https://idp.example", clientId: "c", clientSecret: "s" };
  const headers = { "content-type": "application/json" };
  const send = async () => new Response(byByte(), { headers });
  const access = { send, allowHttp: false, mayVisit: () => true };
  const reads = await readsDuring(async () => {
    await expect(discover(connection, access)).rejects.toThrow();
  });
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(MOST_READS);
});
