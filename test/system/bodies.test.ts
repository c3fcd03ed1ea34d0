import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { call, newOrg, sharedServer, type SystemOrg } from "../support/server.ts";

/** Bodies on real sockets: larger than is read, or cut off on the way. */

const MIB = 1_048_576;

/** Sends the whole request before it reads the response, as many clients do. Returns the response, or why there is none. */
function exchange(head: readonly string[], body: Buffer, chunked: boolean): Promise<string> {
  const { hostname, port } = new URL(sharedServer().urls[0]);
  const framing = chunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
  const lines = [...head, framing, `host: ${hostname}`, "connection: close"];
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname)
      .pause()
      .on("error", (error) => resolve(String(error)));
    socket.on("data", (part: Buffer) => {
      text += part.toString();
      if (text.endsWith("}}}")) socket.destroy();
    });
    socket.on("close", () => resolve(text));
    socket.write(`${lines.join("\r\n")}\r\n\r\n${chunked ? `${body.length.toString(16)}\r\n` : ""}`);
    if (!chunked) socket.write(body, () => socket.resume());
    else {
      socket.write(body);
      socket.write("\r\n0\r\n\r\n", () => socket.resume());
    }
  });
}

const headOf = (route: string, org: SystemOrg) => [
  `${route} HTTP/1.1`,
  `authorization: Bearer ${org.ownerKey}`,
  "content-type: application/json",
];

test.each([
  ["/v1/runs", 2 * MIB],
  ["/v1/runs", 8 * MIB],
  ["/v1/runs/bulk", 20 * MIB],
  ["/v1/edge/decision", 4 * MIB],
])("a client that sends too much to %s (%i bytes) gets the error", async (path, bytes) => {
  const org = await newOrg();
  for (const chunked of [false, true]) {
    const send = () => exchange(headOf(`POST ${path}`, org), Buffer.alloc(bytes, "x"), chunked);
    // The rest is read for two seconds. A busy machine may take longer to send it.
    await expect.poll(send).toMatch(/^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/);
  }
});

test("what is discarded is bounded: an endless body is still answered", async () => {
  const org = await newOrg();
  const { hostname, port } = new URL(sharedServer().urls[0]);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const lines = [...headOf("POST /v1/edge/decision", org), "content-length: 1000000", `host: ${hostname}`];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const drip = setInterval(() => socket.write("x".repeat(100)), 50);
  onTestFinished(() => clearInterval(drip));
  const answered = await new Promise<string>((resolve) => {
    socket.on("data", (part: Buffer) => resolve(part.toString())).on("error", () => undefined);
  });
  expect(answered).toMatch(/^HTTP\/1\.1 413 /);
});

test("a body that arrives a byte at a time is answered", async () => {
  const { hostname, port } = new URL(sharedServer().urls[0]);
  const form = "POST /saml/org_01J00000000000000000000000/acs HTTP/1.1";
  const lines = [form, `host: ${hostname}`, "content-type: application/x-www-form-urlencoded"];
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const answer = new Promise<string>((resolve) => {
    socket.on("data", (part: Buffer) => resolve(part.toString())).on("error", () => undefined);
  });
  socket.write(`${lines.join("\r\n")}\r\ntransfer-encoding: chunked\r\n\r\n`);
  socket.write(`${"1\r\na\r\n".repeat(200_000)}0\r\n\r\n`);
  expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
});

/** The log lines with such a status, only on the routes of the test below, because others use the server too. */
async function counted(status: string): Promise<string[]> {
  const { text } = await call("GET", "/metrics");
  const ofRoute = /^svc_requests_total\{route="[^"]*\/(runs|bulk|decision|spend-cap)",/;
  return text.split("\n").filter((line) => ofRoute.test(line) && line.includes(`status="${status}`));
}

const sumOf = (lines: readonly string[]) =>
  lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);

/** Sends a request with an incomplete body, and disconnects. */
function hangUp(head: readonly string[], body: string): Promise<void> {
  const { hostname, port } = new URL(sharedServer().urls[0]);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join("\r\n")}\r\nhost: ${hostname}\r\n\r\n${body}`);
      setTimeout(() => socket.destroy(), 100);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}

test("an upload that its client aborts does not count as a failure of the service", async () => {
  const org = await newOrg();
  const warm = { key: org.ownerKey, body: { estimate: { cost_usd: "1" } } };
  expect((await call("POST", "/v1/edge/decision", warm)).status).toBe(200);
  const [failures, refusals] = [await counted("5"), sumOf(await counted("400"))];
  const routes = [
    "POST /v1/runs",
    "POST /v1/edge/decision",
    `PUT /v1/orgs/${org.id}/spend-cap`,
    "POST /v1/runs/bulk",
  ];
  for (const route of routes) {
    const head = headOf(route, org);
    await hangUp([...head, "content-length: 900"], '{"model":"m');
    await hangUp([...head, "transfer-encoding: chunked"], '10\r\n{"model":"m');
  }
  const newRefusals = async () => sumOf(await counted("400")) - refusals;
  await expect.poll(newRefusals).toBeGreaterThanOrEqual(2 * routes.length);
  expect(await counted("5")).toEqual(failures);
});
