/**
 * The requests of two coding agents, with the headers and members that Claude Code 2.1.197 and Codex 0.169.0 send. The programs
 * themselves are over 200 MB each, so they are not run here.
 */

export interface AgentRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** After the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

const CLAUDE_HEADERS = {
  accept: "application/json",
  "content-type": "application/json",
  "user-agent": "claude-cli/2.1.197 (external, sdk-cli)",
  "x-app": "cli",
  "x-claude-code-session-id": "0d019a11-1e0b-43a6-b1c6-a28e54709c85",
  "x-stainless-retry-count": "0",
  "anthropic-version": "2023-06-01",
  "anthropic-dangerous-direct-browser-access": "true",
  "anthropic-beta":
    "claude-code-20250219,context-1m-2025-08-07,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24",
};

const CACHED = { cache_control: { type: "ephemeral" } };
const SHELL_SCHEMA = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };

const claudeBody = (model: string) => ({
  model,
  messages: [
    { role: "user", content: [{ type: "text", text: "List the files." }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "A listing will do.", signature: "c2lnbmVk" },
        { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "a.ts", ...CACHED }] },
    { role: "user", content: [{ type: "text", text: "Say 5 words.", ...CACHED }] },
    { role: "system", content: "The date is 18 November." },
  ],
  system: [{ type: "text", text: "You help with code.", ...CACHED }],
  tools: [
    { name: "Bash", description: "Runs a command.", input_schema: SHELL_SCHEMA },
    { name: "WebSearch", description: "Searches.", input_schema: { type: "object", properties: {} } },
  ],
  metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
  max_tokens: 64_000,
  thinking: { type: "adaptive" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
  stream: true,
});

export const CLAUDE_CODE = {
  start: { method: "HEAD", path: "", headers: { "user-agent": "Bun/1.4.0", accept: "*/*" } },
  models: { method: "GET", path: "/v1/models?limit=1000", headers: CLAUDE_HEADERS },
  count: {
    method: "POST",
    path: "/v1/messages/count_tokens?beta=true",
    headers: CLAUDE_HEADERS,
    body: { model: "claude-opus-4-5", messages: claudeBody("").messages.slice(0, 1) },
  },
  turn: (model: string): AgentRequest => ({
    method: "POST",
    path: "/v1/messages?beta=true",
    headers: CLAUDE_HEADERS,
    body: claudeBody(model),
  }),
} as const;

const CODEX_HEADERS = {
  accept: "text/event-stream",
  "content-type": "application/json",
  originator: "codex_exec",
  "user-agent": "codex_exec/0.169.0 (Debian 12.0.0; aarch64) unknown (codex_exec; 0.169.0)",
  "session-id": "01a1ec5f-06cb-7a62-8ef7-7fbcaa8e1fd7",
  "thread-id": "01a1ec5f-06cb-7a62-8ef7-7fbcaa8e1fd7",
  "x-client-request-id": "01a1ec5f-06cb-7a62-8ef7-7fbcaa8e1fd7",
  "x-codex-beta-features": "remote_compaction_v2",
  "x-codex-turn-metadata": '{"session_id":"01a1ec5f-06cb-7a62-8ef7-7fbcaa8e1fd7"}',
};

const functionTool = (name: string) => ({ type: "function", name, strict: false, parameters: SHELL_SCHEMA });
const AGENTS = { type: "namespace", name: "agents", description: "Agents.", tools: [functionTool("close")] };
const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
});
const codexBody = (model: string) => ({
  model,
  stream: true,
  input: [
    message("developer", "You help with code."),
    message("user", "List the files."),
    { type: "reasoning", summary: [], encrypted_content: "b3BhcXVl" },
    { type: "function_call", name: "exec_command", arguments: '{"command":"ls"}', call_id: "call_1" },
    { type: "function_call_output", call_id: "call_1", output: "a.ts" },
    message("user", "Say 5 words."),
  ],
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "low", summary: "auto" },
  store: false,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "01a1ec5f-06cb-7a62-8ef7-7fbcaa8e1fd7",
  text: { verbosity: "low" },
  client_metadata: { window_id: "01a1ec5f-06cb-7a62-8ef7-7fbcaa8e1fd7:0" },
});

const codexTurn = (body: object, more: Record<string, string> = {}): AgentRequest => ({
  method: "POST",
  path: "/responses",
  headers: { ...CODEX_HEADERS, ...more },
  body,
});

export const CODEX = {
  models: { method: "GET", path: "/models?client_version=0.169.0", headers: CODEX_HEADERS },
  /** Its tools are in the body. */
  turn: (model: string): AgentRequest =>
    codexTurn({
      ...codexBody(model),
      tools: [functionTool("exec_command"), AGENTS, { type: "web_search", external_web_access: false }],
    }),
  /** With the newest models, its tools are an item of the input. */
  lite: (model: string): AgentRequest => {
    const { input, ...rest } = codexBody(model);
    const tools = [{ ...AGENTS, tools: [functionTool("exec_command"), { type: "custom", name: "patch" }] }];
    return codexTurn(
      { ...rest, input: [{ type: "additional_tools", role: "developer", tools }, ...input] },
      { "x-openai-internal-codex-responses-lite": "true" },
    );
  },
} as const;
