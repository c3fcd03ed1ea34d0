import { connect } from "node:net";

/**
 * How often each status answers these paths, which are asked for over one connection, none waiting for the answer to
 * another: thousands of calls for the price of a few.
 */
export async function statusesOf(url: string, paths: readonly string[]): Promise<Record<string, number>> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  const requests = paths.map(
    (path, at) =>
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${at === paths.length - 1 ? "connection: close\r\n" : ""}\r\n`,
  );
  socket.write(requests.join(""));
  let answers = "";
  for await (const text of socket) answers += String(text);
  const counts: Record<string, number> = {};
  for (const [, status = ""] of answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
