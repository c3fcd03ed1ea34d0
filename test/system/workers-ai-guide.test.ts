import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "smol-toml";
import { blocksOf, guideEnvironment, runIn } from "../support/guide.ts";
import { installedPackage, runProgram } from "../support/installed-package.ts";
import { call, newOrg, type SystemOrg } from "../support/server.ts";

/** The Worker of docs/workers-ai.md is run with a binding that answers as Workers AI does, and its limit binds. */

let installed: Awaited<ReturnType<typeof installedPackage>>;
beforeAll(async () => {
  installed = await installedPackage();
  const [worker = ""] = blocksOf("workers-ai", "js");
  writeFileSync(join(installed.path, "worker.mjs"), worker);
  cpSync("test/support/ai-binding.mjs", join(installed.path, "ai-binding.mjs"));
});
afterAll(() => installed.remove());

interface WorkerOutput {
  /** Each answer of the Worker. */
  readonly answers: readonly { readonly status: number; readonly text: string }[];
  /** What the binding was called with. */
  readonly called: readonly { readonly model: string; readonly inputs: { readonly max_tokens: number } }[];
}

async function runWorker(org: SystemOrg, ...paths: readonly string[]): Promise<WorkerOutput> {
  const calls = paths.map((path) => `  await ask(${JSON.stringify(path)}),`).join("\n");
  const program = `import { started } from "./ai-binding.mjs";
const { ask, called, ended } = await started();
const answers = [
${calls}
];
await ended();
console.log(JSON.stringify({ answers, called }));
`;
  const ran = await runIn(installed.path, program, guideEnvironment(org.ownerKey));
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout) as WorkerOutput;
}

test("its calls are made within their bound, and recorded by their usage", async () => {
  const org = await newOrg();
  const { answers, called } = await runWorker(org, "/", "/stream");
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.text).toContain("Hello!");
  expect(answers[1]?.text).toContain("[DONE]");
  expect(called).toMatchObject(answers.map(() => ({ inputs: { prompt: "Hi", max_tokens: 256 } })));
  const read = async () => (await call("GET", "/v1/runs", { key: org.ownerKey })).body.data as unknown[];
  await expect.poll(async () => (await read()).length).toBe(2);
  const run = {
    provider: "cloudflare",
    model: "@cf/meta/llama-3.1-8b-instruct",
    customer_id: "acme",
    workflow_id: "support",
    usage: { input_tokens: 9, output_tokens: 2 },
    estimated: false,
  };
  expect(await read()).toMatchObject([run, run]);
});

test("the guide's limit refuses before the model is called", async () => {
  const org = await newOrg();
  const [command = ""] = blocksOf("workers-ai", "sh");
  writeFileSync(join(installed.path, "limit.sh"), command);
  const environment = { ...guideEnvironment(org.ownerKey), ORG: org.id };
  const set = await runProgram("limit.sh", installed.path, environment);
  expect([set.stderr, set.stdout.trim()]).toEqual(["", /# → (\d+)/.exec(command)?.[1]]);
  const { answers, called } = await runWorker(org, "/", "/stream");
  for (const { status, text } of answers) {
    expect([status, JSON.parse(text)]).toMatchObject([
      402,
      { error: { code: "budget_exceeded", details: { scope_kind: "customer", limit_usd: "0.00001" } } },
    ]);
  }
  expect(called).toEqual([]);
});

test("the guide's bindings are those of the service", () => {
  const [bindings = ""] = blocksOf("workers-ai", "toml");
  expect(parse(bindings)).toEqual({
    ai: { binding: "AI" },
    services: [{ binding: "SLUICE", service: "sluice", entrypoint: "Gate" }],
  });
});
