import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { PROVIDER_KEYS } from "../../scripts/deploy/proxy.ts";
import type { Demo } from "../../scripts/demo.ts";
import { SETTING_NAMES } from "../../src/settings.ts";
import { installedPackage, interpreterOf, runProgram } from "../support/installed-package.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { call, consoleLink, newOrg, sharedServer, type SystemOrg } from "../support/server.ts";
import { SMALL_KEY } from "../support/small-service.ts";

/**
 * Every program of docs/quickstart.md is run in a project of its own, and prints what it says. It gets the environment that the
 * page sets, with the addresses of this server and a new org's key, and nothing else.
 */
const page = readFileSync("docs/quickstart.md", "utf8");
const [intro = "", ...sections] = page.split(/^(?=## )/m);
const setUp = [...intro.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
const programs = sections.flatMap((section) => {
  const [, title = ""] = /^## (.+)$/m.exec(section) ?? [];
  return [...section.matchAll(/```(js|python|sh)\n([^]*?)```/g)].map(
    ([, language = "", code = ""]) => [title, language, code] as const,
  );
});
const FILES: Record<string, string> = { js: "program.mjs", python: "program.py", sh: "program.sh" };
const BEGUN = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
let installed: Awaited<ReturnType<typeof installedPackage>>;

beforeAll(async () => {
  installed = await installedPackage(["openai", "@anthropic-ai", "ai", "@ai-sdk"]);
});
afterAll(() => installed.remove());

/** What the page's shell commands export. Its Sluice has this server's addresses, and a key of a new org. */
function environmentOf(ownerKey: string): Record<string, string> {
  const demo = JSON.parse(readFileSync(`${sharedServer().dataDir}/demo.json`, "utf8")) as Demo;
  mkdirSync(join(installed.path, "home/.sluice"), { recursive: true });
  writeFileSync(
    join(installed.path, "home/.sluice/demo.json"),
    JSON.stringify({ ...demo, owner_key: ownerKey }),
  );
  const { PATH = "" } = process.env;
  const said = execFileSync("bash", ["-euc", `SLUICE_HOME=home\n${setUp[1]}env -0`], {
    cwd: installed.path,
    encoding: "utf8",
    env: { PATH },
  });
  return Object.fromEntries(
    said.split("\0").flatMap((line) => {
      const [, name, value = ""] = /^(\w+)=([^]*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

test("the page begins in the reader's own project, with the package as it is packed and the SDKs that it uses", () => {
  const [install = ""] = setUp;
  expect(setUp).toHaveLength(2);
  expect(install).toContain(`npm install ./sluice-${manifest.version}.tgz `);
  const imported = [...page.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name = ""]) => name);
  const packages = new Set(imported.filter((name) => !/^(node:|sluice\/)/.test(name)));
  for (const name of packages) expect(install.split(/\s/)).toContain(name);
});

test("nothing that the page exports is taken for a real key by a later deploy", async () => {
  const { ownerKey } = await newOrg();
  const exported = Object.keys(environmentOf(ownerKey));
  expect(exported).toEqual(
    expect.arrayContaining(["SLUICE_URL", "SLUICE_KEY", "SLUICE_PROXY", "SLUICE_STAND_IN"]),
  );
  const deployed: readonly string[] = [...PROVIDER_KEYS, ...SETTING_NAMES];
  expect(exported.filter((name) => deployed.includes(name))).toEqual([]);
});

/** On a busy machine an answer takes longer than any reader waits. */
const patient = (code: string): string =>
  code
    .replaceAll(/AbortSignal\.timeout\([\d_]+\)/g, `AbortSignal.timeout(${PATIENCE_MS})`)
    .replaceAll(/timeoutMs: [\d_]+/g, `timeoutMs: ${PATIENCE_MS}`)
    .replaceAll(/timeout=\d+/g, `timeout=${PATIENCE_MS / 1000}`)
    .replaceAll(/ -m \d+ /g, ` -m ${PATIENCE_MS / 1000} `);

interface Reserved {
  readonly id: string;
  readonly reserved_usd: string;
}

/** What a program could leave behind in an org. */
async function settingsOf({ id, ownerKey: key }: SystemOrg) {
  const read = async (path: string) => (await call("GET", `/v1/orgs/${id}${path}`, { key })).body;
  const [org, budgets, webhooks, packs] = await Promise.all(
    ["", "/budgets", "/webhooks", "/credit-packs"].map(read),
  );
  const valid = packs.data.filter(({ voided_at: at }: { voided_at: string | null }) => at === null);
  const reserved = budgets.data.map(({ id: budget, reserved_usd: usd }: Reserved) => [budget, usd]);
  return { defaults: org.decision_defaults, webhooks: webhooks.data, packs: valid, reserved };
}

test.each(programs)("%s (%s) can be run again, and leaves nothing behind", async (_, language, code) => {
  const org = await newOrg();
  const everything = { scope_kind: "org", limit_usd: "1000", period: "total" };
  await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body: everything });
  const before = await settingsOf(org);
  const environment = environmentOf(org.ownerKey);
  const program = FILES[language] ?? "";
  writeFileSync(join(installed.path, program), patient(code));
  const promised = [...code.matchAll(/(?:\/\/|#) → (.+)$/gm)].map(([, text = ""]) =>
    text.replace("http://127.0.0.1:8787", environment["SLUICE_URL"] ?? ""),
  );
  expect(promised.at(-1)).toMatch(/^Look at http.*\/console\/\w+$/);
  expect(promised.length).toBeGreaterThan(1);
  for (const time of ["first", "second"]) {
    const { stderr, stdout } = await runProgram(program, installed.path, environment, {});
    expect([time, stderr, ...stdout.trimEnd().split("\n")]).toEqual([time, "", ...promised]);
  }
  // A run that was recorded gives back what was reserved for it a moment later.
  await expect.poll(() => settingsOf(org)).toEqual(before);
});

test.each(programs)("%s (%s) names a page of the console that exists", async (_, __, code) => {
  const { id, ownerKey } = await newOrg();
  const [, path = ""] = /Look at .*(\/console\/\w+)/.exec(code) ?? [];
  const entered = await fetch(await consoleLink(id, ownerKey), { redirect: "manual" });
  const cookie = entered.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const shown = await fetch(sharedServer().urls[0] + path, { headers: { cookie }, redirect: "manual" });
  expect([path, shown.status]).toEqual([path, 200]);
});

/** Programs end within 10 seconds. A busy machine is slower, but no limit of a client is: those are half a minute and more. */
const ENDS_MS = 60_000;

function runInTime(program: string, env: Record<string, string>) {
  const options = { cwd: dirname(program), env, timeout: ENDS_MS, killSignal: "SIGKILL" } as const;
  return new Promise<{ signal: NodeJS.Signals | null; stdout: string }>((resolve) => {
    const child = execFile(interpreterOf(program), [program], options, (_, stdout) =>
      resolve({ signal: child.signalCode, stdout }),
    );
  });
}

test.each([
  ["never answers", () => undefined],
  ["begins an answer and stops", (socket: Socket) => void socket.write(BEGUN)],
])("each program ends and says what to look at where the service %s", async (_, answer) => {
  const server = createServer(
    (socket) => void socket.on("error", () => {}).once("data", () => answer(socket)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const environment = {
    ...environmentOf(SMALL_KEY),
    SLUICE_URL: url,
    SLUICE_PROXY: url,
    SLUICE_STAND_IN: url,
  };
  const ran = programs.map(async ([title, language, code], nth) => {
    const folder = join(installed.path, `unanswered-${nth}`);
    mkdirSync(folder, { recursive: true });
    const program = join(folder, FILES[language] ?? "");
    writeFileSync(program, code);
    const { signal, stdout } = await runInTime(program, environment);
    return [title, signal, stdout.includes(`Look at ${url}/console/`)];
  });
  expect(await Promise.all(ran)).toEqual(programs.map(([title]) => [title, null, true]));
});

test("the program that receives a webhook ends where none comes, and leaves nothing behind", async () => {
  const org = await newOrg();
  const before = await settingsOf(org);
  const [, , code = ""] = programs.find(([title]) => title === "Receive a webhook") ?? [];
  const other = code
    .replace(/timeoutMs: [\d_]+/, `timeoutMs: ${PATIENCE_MS}`)
    .replace("budget.exceeded", "key.created");
  const program = join(installed.path, "no-webhook.mjs");
  writeFileSync(program, other);
  const { signal, stdout } = await runInTime(program, environmentOf(org.ownerKey));
  expect([signal, stdout]).toEqual([null, expect.stringMatching(/^budget_exceeded\nLook at .*\n$/)]);
  expect(await settingsOf(org)).toEqual(before);
});

test("every program of the page was found", () => {
  const blocks = page.match(/^```(?:js|python|sh)$/gm) ?? [];
  expect(programs).toHaveLength(blocks.length - setUp.length);
  expect(programs.length).toBeGreaterThan(9);
});
