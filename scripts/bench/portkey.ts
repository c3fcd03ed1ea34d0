import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { claimPorts, HOST } from "../ports.ts";
import { ROOT } from "../worker-config.ts";

/** Portkey's gateway, in a folder of its own: it is no dependency of ours. */
export interface Gateway {
  readonly port: number;
  readonly pid: number;
  readonly modelUrl: string;
  stop(): void;
}

const PACKAGE = "@portkey-ai/gateway@1.15.2";
const FOLDER = join(ROOT, ".sluice/portkey");
const SCRIPT = join(FOLDER, "node_modules/@portkey-ai/gateway/build/start-server.js");
/** Its release changes the headers of answers that it fetched, which Node does not allow for streams. It gets copies. */
const COPIED_ANSWERS =
  "data:text/javascript,const f=fetch,R=Response;globalThis.fetch=async(...a)=>{const r=await f(...a);return new R(r.body,r)}";
const PATIENCE_MS = 20_000;
const INSTALL_MS = 120_000;

/** Whether it is there, or could be installed. Its packages run no scripts. */
function isInstalled(): boolean {
  if (existsSync(SCRIPT)) return true;
  const options = ["--prefix", FOLDER, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  try {
    execFileSync("npm", ["install", ...options, PACKAGE], { stdio: "ignore", timeout: INSTALL_MS });
  } catch {
    return false;
  }
  return existsSync(SCRIPT);
}

/** Null if it cannot be installed, for lack of a network. */
export async function startPortkey(modelUrl: string): Promise<Gateway | null> {
  if (!isInstalled()) {
    process.stderr.write("Portkey's gateway could not be installed here, and is not measured\n");
    return null;
  }
  const [port = 0] = await claimPorts(0, 1);
  const child = spawn(
    process.execPath,
    ["--import", COPIED_ANSWERS, SCRIPT, `--port=${port}`, "--headless"],
    {
      stdio: "ignore",
      env: { ...process.env, TRUSTED_CUSTOM_HOSTS: HOST },
    },
  );
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

/** A call of OpenAI's API that goes to the model. */
export function portkeyHeaders(modelUrl: string): Record<string, string> {
  return {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${modelUrl}/v1`,
  };
}
