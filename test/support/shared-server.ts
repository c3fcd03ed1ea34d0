import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { Demo } from "../../scripts/demo.ts";
import { inherited } from "./environment.ts";
import type { SharedServer } from "./server.ts";

const READY = "/v1/meta/deprecations";
const ISOLATES = 3;

/** Starts the server that all system tests share, as a user would. The returned function stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const server = spawn(process.execPath, ["scripts/start.ts"], {
    env: {
      ...inherited(),
      PORT: "0",
      ISOLATES: String(ISOLATES),
      SLUICE_DATA_DIR: dataDir,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  let said = "";
  // It remarks on what tests break on purpose. Its folder has all of it in a log.
  let remarks = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (remarks = (remarks + text).slice(-2000)));
  await new Promise<void>((resolve, reject) => {
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes(READY)) resolve();
    });
    void ended.then((status) =>
      reject(new Error(`the shared server ended with status ${status}: ${remarks}`)),
    );
  });
  const urls = said.match(/http:\/\/127\.0\.0\.1:\d+/g)?.slice(0, ISOLATES) ?? [];
  const demo = JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as Demo;
  project.provide("server", {
    urls: urls as unknown as SharedServer["urls"],
    dataDir,
    operatorKey: demo.operator_key,
  });
  return async () => {
    server.kill("SIGTERM");
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
}
