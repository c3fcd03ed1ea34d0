import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { Complaint } from "./complaint.ts";

export const HOST = "127.0.0.1";
/** Where servers listen. A container listens everywhere, and its port mapping decides who reaches it. */
export const LISTEN_HOST = process.env["SLUICE_HOST"] || HOST;
const LARGEST = 65_535;

/** Systems take the ports of outgoing connections from above. A runtime listens only seconds after its port was chosen. */
const ANY = { from: 10_000, to: 30_000 } as const;
const MOST_TRIES = 50;

/** `count` consecutive free ports from `first`. If `first` is 0, any free ports. `setting` is what chose them. */
export async function claimPorts(first: number, count: number, setting = "PORT"): Promise<number[]> {
  if (first === 0) return anyPorts(count, setting);
  if (first + count - 1 > LARGEST) throw new Complaint(`PORT ${first} leaves no room for ${count} isolates`);
  const ports = Array.from({ length: count }, (_, index) => first + index);
  for (const port of ports) await listenOnce(port, setting);
  return ports;
}

async function anyPorts(count: number, setting: string): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 1; found.size < count; tries += 1) {
    const port = randomInt(ANY.from, ANY.to);
    try {
      await listenOnce(port, setting);
      found.add(port);
    } catch (error) {
      if (tries >= MOST_TRIES) throw error;
    }
  }
  return [...found];
}

function listenOnce(port: number, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be used (${error.code})`;
      reject(new Complaint(`port ${port} ${why}: set ${setting} to a different port`));
    });
    server.listen({ port, host: LISTEN_HOST, exclusive: true }, () => {
      server.close(() => resolve());
    });
  });
}
