import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentRequest, CLAUDE_CODE, CODEX } from "../support/coding-agents.ts";
import { type Governed, governed } from "../support/governed.ts";
import { blocksOf, guideEnvironment, proxyUrl, runGuideProgram } from "../support/guide.ts";
import { installedPackage } from "../support/installed-package.ts";
import { call } from "../support/server.ts";

/** Claude Code and Codex, set up as docs/coding-agents.md says: their requests pass the proxy, are metered, and are refused legibly. */

const CLAUDE = "claude-opus-4-5";
const GPT = "gpt-5.1-codex";
const SPENT = "A budget or customer limit for the period would be exceeded.";
const UNPRICED = "Some fields are invalid: model has no price in this organization's price book.";

interface Agent {
  readonly baseUrl: string;
  readonly headers: Record<string, string>;
}

/** The variables that the guide's commands export, as Claude Code reads them. */
function claudeCode(key: string): Agent {
  const [commands = ""] = blocksOf("coding-agents", "sh");
  const printed = execFileSync("bash", ["-euc", `${commands}env -0`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", ...guideEnvironment(key) },
  });
  const set = new Map(printed.split("\0").map((line) => line.split(/=([^]*)/, 2) as [string, string]));
  const custom = set.get("ANTHROPIC_CUSTOM_HEADERS")?.split("\n") ?? [];
  return {
    baseUrl: set.get("ANTHROPIC_BASE_URL") ?? "",
    headers: {
      authorization: `Bearer ${set.get("ANTHROPIC_AUTH_TOKEN")}`,
      ...Object.fromEntries(custom.map((line) => line.split(": ", 2) as [string, string])),
    },
  };
}

interface CodexProvider {
  readonly base_url: string;
  readonly env_key: string;
  readonly wire_api: string;
  readonly http_headers: Record<string, string>;
}

/** The guide's configuration, as Codex reads it, with the address of this proxy. */
function codex(key: string): Agent {
  const [config = ""] = blocksOf("coding-agents", "toml");
  const read = parse(config.replace("https://your-proxy", proxyUrl())) as unknown as {
    readonly model_provider: string;
    readonly model_providers: Record<string, CodexProvider>;
  };
  const provider = read.model_providers[read.model_provider];
  expect([provider?.wire_api, provider?.env_key]).toEqual(["responses", "SLUICE_KEY"]);
  return {
    baseUrl: provider?.base_url ?? "",
    headers: { authorization: `Bearer ${key}`, ...provider?.http_headers },
  };
}

function send(agent: Agent, { method, path, headers, body }: AgentRequest): Promise<Response> {
  return fetch(agent.baseUrl + path, {
    method,
    headers: { ...headers, ...agent.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const AGENTS = [
  {
    name: "Claude Code",
    agent: claudeCode,
    free: [CLAUDE_CODE.start, CLAUDE_CODE.models, CLAUDE_CODE.count],
    turns: [CLAUDE_CODE.turn],
    model: CLAUDE,
    run: { model: CLAUDE, provider: "anthropic", workflow_id: "claude-code", usage: { output_tokens: 5 } },
    end: "event: message_stop",
  },
  {
    name: "Codex",
    agent: codex,
    free: [CODEX.models],
    turns: [CODEX.turn, CODEX.lite],
    model: GPT,
    // Eight tokens are what the stand-in thinks.
    run: { model: GPT, provider: "openai", workflow_id: "codex", usage: { output_tokens: 13 } },
    end: "event: response.completed",
  },
] as const;

let installed: Awaited<ReturnType<typeof installedPackage>>;
beforeAll(async () => {
  installed = await installedPackage();
});
afterAll(() => installed.remove());

test("the guide's program makes a key, and a budget for each key", async () => {
  const [program = "", ...more] = blocksOf("coding-agents", "js");
  expect(more).toEqual([]);
  const { id, ownerKey } = await runGuideProgram(program, installed.path);
  const { body } = await call("GET", `/v1/orgs/${id}/budgets`, { key: ownerKey });
  expect(body.data).toMatchObject([{ name: "Each developer", group_by: ["key_id"], limit_usd: "200.00" }]);
});

describe.each(AGENTS)("$name", ({ agent, free, turns, model, run, end }) => {
  /** A key as the guide gives it to a developer. */
  const developerKey = async ({ org, key }: Governed): Promise<string> => {
    const body = { name: "Ada's laptop", role: "developer", scopes: ["decisions:evaluate"] };
    return (await call("POST", `/v1/orgs/${org}/keys`, { key, body })).body.key as string;
  };

  test("what it asks beside its turns is answered, and costs nothing", async () => {
    const org = await governed("0");
    const mine = agent(await developerKey(org));
    for (const request of free) expect((await send(mine, request)).ok).toBe(true);
    expect((await call("GET", "/v1/runs", { key: org.key })).body.data).toEqual([]);
  });

  test("its turns are streamed to their end and metered", async () => {
    const org = await governed();
    const mine = agent(await developerKey(org));
    for (const turn of turns) {
      const answer = await send(mine, turn(model));
      const text = await answer.text();
      expect([answer.status, text.includes(end)]).toEqual([200, true]);
    }
    const runs = await org.runs(turns.length);
    expect(runs).toMatchObject(turns.map(() => ({ ...run, outcome: "completed", estimated: false })));
    await expect.poll(org.reserved).toBe("0.00");
  });

  test("a spent budget is an error whose message says so, and is not tried again", async () => {
    const org = await governed("0.00001");
    const mine = agent(await developerKey(org));
    for (const turn of turns) {
      const answer = await send(mine, turn(model));
      expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([402, "false"]);
      expect(await answer.json()).toMatchObject({
        error: {
          code: "budget_exceeded",
          message: SPENT,
        },
      });
    }
    expect((await call("GET", "/v1/runs", { key: org.key })).body.data).toEqual([]);
  });

  test("a model without a price is named in the message", async () => {
    const org = await governed();
    const answer = await send(agent(org.key), turns[0]("model-of-tomorrow"));
    const { error } = (await answer.json()) as { error: { message: string } };
    expect([answer.status, error.message]).toEqual([422, UNPRICED]);
  });
});

test("the guide prints the messages that the agents show", () => {
  const guide = readFileSync("docs/coding-agents.md", "utf8");
  expect(guide).toContain(`API Error: 402 ${SPENT}`);
  expect(guide).toContain(`402 Payment Required: ${SPENT}`);
  expect(guide).toContain(`API Error: 422 ${UNPRICED}`);
});
