import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { claimPorts } from "../ports.ts";
import type { BenchRow } from "./bench-row.ts";
import type { Subject } from "./harness.ts";
import { compare } from "./compare.ts";
import { startReference } from "./reference.ts";

const BODY = JSON.stringify({
  request_id: "req_####################",
  customer_id: "cus_0000000001",
}).padEnd(300, " ");

/** The usual alternative, if a Redis server is installed: only a rate limit. */
export async function run(): Promise<BenchRow[]> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) {
    process.stderr.write("redis-server is not installed: skipping its row\n");
    return [];
  }
  const [port = 0] = await claimPorts(0, 1);
  const redis = spawn("redis-server", ["--port", String(port), "--save", "", "--bind", "127.0.0.1"], {
    stdio: "ignore",
  });
  const reference = await startReference();
  let limiter: ChildProcess | null = null;
  try {
    await listening(port);
    limiter = spawn(process.execPath, [join(import.meta.dirname, "redis-limiter.ts"), String(port)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = (await once(limiter.stdout ?? limiter, "data")) as [Buffer];
    const pid = limiter.pid ?? 0;
    return await compare([
      subject("reference", "/reference", reference.port, reference.pid),
      {
        ...subject("rate-limiter-flexible, over Redis", "/", Number(said.toString()), () => pid),
        of: "reference",
      },
    ]);
  } finally {
    limiter?.kill();
    redis.kill();
    await reference.dispose();
  }
}

function subject(name: string, path: string, port: number, pid: () => number): Subject {
  const headers = { "content-type": "application/json", authorization: `Bearer ${"x".repeat(112)}` };
  return { name, load: { ports: [port], method: "POST", path, headers, body: BODY }, pid, status: 200 };
}

/** Waits until something answers there. */
async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, "127.0.0.1");
    const answered = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("redis-server did not start");
}
