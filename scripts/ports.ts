import { createServer } from "node:net";
import { Complaint } from "./complaint.ts";

export const HOST = "127.0.0.1";
/** Where servers listen. A container listens everywhere, and its port mapping decides who reaches it. */
export const LISTEN_HOST = process.env["SLUICE_HOST"] || HOST;
const LARGEST = 65_535;

/** `count` consecutive free ports from `first`. If `first` is 0, any free ports. `setting` is what chose them. */
export async function claimPorts(first: number, count: number, setting = "PORT"): Promise<number[]> {
  if (first === 0) return Promise.all(Array.from({ length: count }, () => listenOnce(0, setting)));
  if (first + count - 1 > LARGEST) throw new Complaint(`PORT ${first} leaves no room for ${count} isolates`);
  const ports = Array.from({ length: count }, (_, index) => first + index);
  for (const port of ports) await listenOnce(port, setting);
  return ports;
}

function listenOnce(port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.code})`;
      reject(new Complaint(`port ${port} ${why}: set ${setting} to a different port`));
    });
    server.listen({ port, host: LISTEN_HOST, exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}
