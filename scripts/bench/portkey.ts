import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { claimPorts, HOST } from "../ports.ts";
import { ROOT } from "../worker-config.ts";

/** Portkey's gateway, if someone has installed it: it is no dependency of ours. */
export interface Gateway {
  readonly port: number;
  readonly pid: number;
  readonly modelUrl: string;
  stop(): void;
}

const SCRIPT = join(ROOT, "node_modules/@portkey-ai/gateway/build/start-server.js");
const PATIENCE_MS = 20_000;

/** Null if it is not installed. */
export async function startPortkey(modelUrl: string): Promise<Gateway | null> {
  if (!existsSync(SCRIPT)) {
    process.stderr.write("Portkey's gateway is not installed here, and is not measured\n");
    return null;
  }
  const [port = 0] = await claimPorts(0, 1);
  const child = spawn(process.execPath, [SCRIPT, `--port=${port}`, "--headless"], { stdio: "ignore" });
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const answers = await fetch(`http://${HOST}:${port}/`).then(
      () => true,
      () => false,
    );
    if (answers) return { port, pid: child.pid ?? 0, modelUrl, stop: () => void child.kill() };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  child.kill();
  throw new Error("Portkey's gateway did not start");
}
