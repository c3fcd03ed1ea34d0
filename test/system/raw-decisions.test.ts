import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { newOrg, sharedServer, type SystemOrg } from "../support/server.ts";

/** Requests on a raw socket to a running server, as no client library would send them. */

const BODY = '{"estimate":{"cost_usd":"0.01"}}';
const DECISION = "/v1/edge/decision";
/** The local runtime itself refuses a request line that is not a path, so the Worker never sees it. */
const NOT_A_PATH = 500;

interface Raw {
  readonly line?: string;
  /** Replaces the headers that every request has. */
  readonly head?: readonly string[];
  readonly more?: readonly string[];
  /** Sent unchanged after the head. */
  readonly body?: string | Buffer;
}

let org: SystemOrg;
beforeAll(async () => {
  org = await newOrg();
});

const bearer = () => `authorization: Bearer ${org.ownerKey}`;
const json = "content-type: application/json";
const sized = (body: string | Buffer) => `content-length: ${Buffer.byteLength(body)}`;
const chunks = (...parts: string[]) =>
  [...parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`), "0\r\n\r\n"].join("");

/** The response. Whether the connection is closed afterwards is up to the server. */
function exchange({ line = `POST ${DECISION} HTTP/1.1`, head, more = [], body = BODY }: Raw) {
  const { hostname, port } = new URL(sharedServer().urls[0]);
  const own = head ?? [bearer(), json, sized(body)];
  const lines = [line, `host: ${hostname}:${port}`, "connection: close", ...own, ...more];
  return new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname).on("error", reject);
    socket.on("data", (part: Buffer) => {
      text += part.toString();
      if (isWhole(text)) socket.destroy();
    });
    socket.on("close", () => resolve(text));
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    socket.write(body);
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  const body = text.slice(end + 4);
  return length === undefined ? body.endsWith("0\r\n\r\n") : Buffer.byteLength(body) >= Number(length);
}

function seen(text: string) {
  const [head = ""] = text.split("\r\n\r\n");
  const [status = "", ...headers] = head.split("\r\n");
  return { status: Number(status.split(" ")[1]), headers: headers.join("\n").toLowerCase() };
}

const line = (text: string): Raw => ({ line: `${text} HTTP/1.1` });
const to = (path: string) => line(`POST ${path}`);
const headed =
  (...head: (() => string)[]): (() => Raw) =>
  () => ({ head: head.map((one) => one()) });
const is = (text: string) => () => text;

const REQUESTS: readonly (readonly [name: string, status: number, raw: Raw | (() => Raw)])[] = [
  ["a plain call", 200, {}],
  ["GET", 404, { ...line(`GET ${DECISION}`), body: "", head: [] }],
  ["GET with a key", 404, () => ({ ...line(`GET ${DECISION}`), body: "", head: [bearer()] })],
  ["PUT", 404, line(`PUT ${DECISION}`)],
  ["DELETE", 404, line(`DELETE ${DECISION}`)],
  ["OPTIONS", 404, line(`OPTIONS ${DECISION}`)],
  ["a query", 200, to(`${DECISION}?x=1`)],
  ["an empty query", 200, to(`${DECISION}?`)],
  ["a query that ends like the path", 422, to(`/v1/runs?x=${DECISION}`)],
  ["a slash at the end", 404, to(`${DECISION}/`)],
  ["two slashes in front", 404, to(`/${DECISION}`)],
  ["two slashes within", 404, to("/v1//edge/decision")],
  ["dot segments", 200, to("/v1/./edge/x/../decision")],
  ["encoded dot segments", 404, to("/v1/%2e/edge/x/%2e%2e/decision")],
  ["an encoded letter", 200, to("/v1/edge/%64ecision")],
  ["an encoded slash", 404, to("/v1/edge%2fdecision")],
  ["another case", 404, to("/V1/EDGE/DECISION")],
  ["a fragment", 200, to(`${DECISION}#x`)],
  ["a backslash", NOT_A_PATH, to(String.raw`\v1\edge\decision`)],
  ["an absolute address", NOT_A_PATH, to(`http://127.0.0.1${DECISION}`)],
  ["an absolute address elsewhere", NOT_A_PATH, to(`http://sluice.example${DECISION}`)],
  ["an absolute address with a name and a word", NOT_A_PATH, to(`http://a:b@127.0.0.1${DECISION}`)],
  [
    "headers in capitals",
    200,
    headed(
      () => bearer().replace("authorization", "AUTHORIZATION"),
      () => json.toUpperCase().replace("APPLICATION/JSON", "application/json"),
      () => sized(BODY).replace("content-length", "Content-LENGTH"),
    ),
  ],
  ["a media type in capitals", 200, headed(bearer, is("content-type: APPLICATION/JSON"), () => sized(BODY))],
  ["a charset", 200, headed(bearer, is("content-type: application/json; charset=utf-8"), () => sized(BODY))],
  ["another media type", 422, headed(bearer, is("content-type: text/plain"), () => sized(BODY))],
  ["no media type", 422, headed(bearer, () => sized(BODY))],
  ["two media types", 422, headed(bearer, is(json), is("content-type: text/plain"), () => sized(BODY))],
  ["the media type twice", 422, headed(bearer, is(json), is(json), () => sized(BODY))],
  [
    "a scheme in lower case",
    401,
    headed(
      () => bearer().replace("Bearer", "bearer"),
      is(json),
      () => sized(BODY),
    ),
  ],
  [
    "spaces around the key",
    401,
    headed(
      () => `${bearer().replace(": ", ":   ")}  `,
      is(json),
      () => sized(BODY),
    ),
  ],
  ["the key twice", 401, headed(bearer, bearer, is(json), () => sized(BODY))],
  ["no key", 401, headed(is(json), () => sized(BODY))],
  ["an unknown key", 401, headed(is("authorization: Bearer svc_live_none"), is(json), () => sized(BODY))],
  [
    "a body in chunks",
    200,
    () => ({
      head: [bearer(), json, "transfer-encoding: chunked"],
      body: chunks(BODY.slice(0, 9), BODY.slice(9)),
    }),
  ],
  [
    "a body in chunks that is too large",
    413,
    () => ({ head: [bearer(), json, "transfer-encoding: chunked"], body: chunks(" ".repeat(17_000)) }),
  ],
  ["a body that is too large", 413, { body: BODY.padEnd(16_385, " ") }],
  ["the largest body", 200, { body: BODY.padEnd(16_384, " ") }],
  ["no body", 422, { body: "" }],
  ["a body that is not JSON", 422, { body: "{" }],
  ["a body with a byte order mark", 200, { body: `\uFEFF${BODY}` }],
  [
    "a body that is not UTF-8",
    422,
    { body: Buffer.from([...Buffer.from('{"action":"'), 0xff, ...Buffer.from(`",${BODY.slice(1)}`)]) },
  ],
  ["an unknown field", 422, { body: BODY.replace("{", '{"x":1,') }],
  ["a dry run", 200, { body: BODY.replace("{", '{"dry_run":true,') }],
  ["an encoding", 200, { more: ["content-encoding: gzip"] }],
  ["an Idempotency-Key", 200, { more: ["idempotency-key: k"] }],
  ["an If-Match", 200, { more: ['if-match: "x"'] }],
  ["HTTP/1.0", 200, { line: `POST ${DECISION} HTTP/1.0` }],
];

test.each(REQUESTS)("%s", async (_, status, raw) => {
  const answer = seen(await exchange(typeof raw === "function" ? raw() : raw));
  expect(answer.status).toBe(status);
  expect(answer.headers.includes("x-svc-trace-id")).toBe(status !== NOT_A_PATH);
});
