import { connect, type Socket } from "node:net";
import type { Load, Sample } from "./harness.ts";

/**
 * The load generator, in its own process on the other core. Plain keep-alive sockets with one request at a time on
 * each. It parses only the length, the status and where it was decided. `#` signs in the body become a new number, so
 * that each request is new.
 */
const load = JSON.parse(process.argv[2] ?? "") as Load;
const HEADERS_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

const statuses: Record<string, number> = {};
const decided: Record<string, number> = {};
const latencies: number[] = [];
const started = performance.now();
const endsAt = started + load.durationMs;
const salt = Math.floor(Math.random() * 1e6);
let counter = 0;
let completed = 0;
let firstMeasured = 0;
let lastMeasured = 0;

function requestBytes(port: number): { bytes: Buffer; at: number; width: number } {
  const head = [
    `${load.method} ${load.path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...Object.entries(load.headers).map(([name, value]) => `${name}: ${value}`),
    ...(load.body === "" ? [] : [`content-length: ${Buffer.byteLength(load.body)}`]),
  ].join("\r\n");
  const bytes = Buffer.from(`${head}\r\n\r\n${load.body}`);
  const width = /#+/.exec(load.body)?.[0].length ?? 0;
  return { bytes, at: bytes.indexOf("#"), width };
}

/**
 * One connection after another, until the time is up. A runtime that is busy with its objects may leave a socket unread
 * for so long that it treats it as idle and closes it.
 */
async function drive(port: number): Promise<void> {
  while (performance.now() < endsAt) await connection(port);
}

function connection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const { bytes, at, width } = requestBytes(port);
    let pending = Buffer.alloc(0);
    let sentAt = 0;
    const socket: Socket = connect({ host: "127.0.0.1", port, noDelay: true }, send);
    function send(): void {
      if (performance.now() >= endsAt) {
        socket.end();
        resolve();
        return;
      }
      if (at >= 0) {
        counter += 1;
        bytes.write(`${salt}${process.pid}${counter}`.padStart(width, "0").slice(-width), at, "latin1");
      }
      sentAt = performance.now();
      socket.write(bytes);
    }
    const isWhole = (head: string, bodyAt: number): boolean => {
      if (/transfer-encoding: chunked/i.test(head))
        return pending.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      return pending.length >= bodyAt + length;
    };
    socket.on("data", (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = pending.indexOf(HEADERS_END);
      if (end < 0) return;
      const head = pending.toString("latin1", 0, end);
      if (!isWhole(head, end + HEADERS_END.length)) return;
      pending = Buffer.alloc(0);
      note(head, sentAt);
      send();
    });
    socket.on("close", resolve);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve();
      else reject(error);
    });
  });
}

function note(head: string, sentAt: number): void {
  const now = performance.now();
  if (firstMeasured === 0) firstMeasured = now;
  lastMeasured = now;
  completed += 1;
  const status = head.slice(9, 12);
  statuses[status] = (statuses[status] ?? 0) + 1;
  const where = /x-svc-decided: (\w+)/i.exec(head)?.[1];
  if (where !== undefined) decided[where] = (decided[where] ?? 0) + 1;
  if (completed % 16 === 0) latencies.push(now - sentAt);
}

await Promise.all(
  Array.from({ length: load.connections }, (_, index) => drive(load.ports[index % load.ports.length] ?? 0)),
);
latencies.sort((left, right) => left - right);
const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
const seconds = (lastMeasured - firstMeasured) / 1000;
const sample: Sample = {
  requests: completed,
  perSecond: seconds > 0 ? completed / seconds : 0,
  statuses,
  decided,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
};
process.stdout.write(JSON.stringify(sample));
