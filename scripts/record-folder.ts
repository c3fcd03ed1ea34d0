/**
 * `node scripts/record-folder.ts <checkout of a release> <name>`: lets that release fill a data folder, and stores it
 * as a fixture with the responses. A test starts later versions on it.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Complaint, run } from "./complaint.ts";
import { CALLS, type Made, PASSING, READ } from "./data-folders/contents.ts";
import type { Demo } from "./demo.ts";
import { ROOT } from "./worker-config.ts";

await run(async () => {
  const [checkout, name] = process.argv.slice(2);
  if (checkout === undefined || name === undefined)
    throw new Complaint("usage: node scripts/record-folder.ts <checkout> <version>");
  const folder = mkdtempSync(join(tmpdir(), "sluice-record-"));
  try {
    await serveOn(folder, checkout, async () => {
      const demo = JSON.parse(readFileSync(join(folder, "demo.json"), "utf8")) as Demo;
      writeFileSync(join(folder, "expected.json"), JSON.stringify(await fill(demo)));
    });
    for (const file of ["lock", "sluice.log", "workerd.pid"]) rmSync(join(folder, file), { force: true });
    const archive = join(ROOT, "test/fixtures/data-folders", `${name}.tar.gz`);
    execFileSync("tar", ["--sort=name", "--owner=0", "--group=0", "-czf", archive, "-C", folder, "."]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function serveOn(folder: string, checkout: string, use: () => Promise<void>): Promise<void> {
  const server = spawn(process.execPath, ["scripts/start.ts"], {
    cwd: checkout,
    env: {
      ...process.env,
      PORT: "0",
      SLUICE_DATA_DIR: folder,
      SLUICE_NORTHWIND: "off",
      SVC_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  let said = "";
  await new Promise<void>((resolve, reject) => {
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("/v1/meta/deprecations")) resolve();
    });
    void ended.then(() => reject(new Complaint("the server did not start")));
  });
  try {
    await use();
  } finally {
    server.kill("SIGTERM");
    await ended;
  }
}

async function fill(demo: Demo): Promise<Record<string, unknown>> {
  const names: Record<string, string> = { org: demo.org_id };
  for (const call of CALLS) {
    const { id } = (await ask(demo, call, names)) as { id?: string };
    if (call.as !== undefined && id !== undefined) names[call.as] = id;
  }
  const expected: Record<string, unknown> = {};
  for (const path of READ) {
    const answer = await ask(demo, { method: "GET", path }, names);
    if (answer !== null) expected[named(path, names)] = JSON.parse(JSON.stringify(answer, lasting));
  }
  return expected;
}

function lasting(key: string, value: unknown): unknown {
  return PASSING.has(key) ? undefined : value;
}

function named(path: string, names: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
}

async function ask(demo: Demo, call: Made, names: Record<string, string>): Promise<unknown> {
  const path = named(call.path, names);
  const answer = await fetch(demo.base_url + path, {
    method: call.method,
    headers: {
      authorization: `Bearer ${call.operator === true ? demo.operator_key : demo.owner_key}`,
      "content-type": "application/json",
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  // This version does not have the route yet.
  if (call.method === "GET" && answer.status === 404) return null;
  if (!answer.ok) throw new Complaint(`${call.method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
