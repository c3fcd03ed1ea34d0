import { anthropicBody, anthropicEvents } from "./anthropic.ts";
import { chatBody, chatEvents, embeddingBody, responseBody, responseEvents } from "./openai.ts";
import { type Said, saidTo } from "./words.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly expectedKey: string;
  readonly body: string;
}

/** A piece of a stream, and how many output tokens are in it. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

export interface Answer {
  readonly status: number;
  readonly json: object;
  /** Null: the answer is the JSON. */
  readonly pieces: Iterable<Piece> | null;
  readonly outputTokens: number;
  /** Null: nothing was served that costs. */
  readonly served: { readonly path: string; readonly model: string; readonly inputTokens: number } | null;
}

type Body = Readonly<Record<string, unknown>>;

const APIS: Readonly<
  Record<
    string,
    { json: (body: Body, said: Said) => object; events?: (body: Body, said: Said) => Iterable<Piece> }
  >
> = {
  "/v1/chat/completions": { json: chatBody, events: chatEvents },
  "/v1/responses": { json: responseBody, events: responseEvents },
  "/v1/embeddings": { json: embeddingBody },
  "/v1/messages": { json: anthropicBody, events: anthropicEvents },
};

/** Hosts that tell the usage of every stream. The others tell it if they are asked. */
const ALWAYS_TELL_USAGE = ["mistral", "perplexity"];

/**
 * The path as OpenAI and Anthropic have it. A host may be named before it. Azure names a deployment in it, and Perplexity no
 * version.
 */
function plainPath(path: string): { path: string; deployment: string | undefined; tellsUsage: boolean } {
  const [, host = "", rest = path] = /^\/([a-z]+)(\/(?:v1|openai|chat)\/.*)$/.exec(path) ?? [];
  const [, deployment, end = rest] = /^\/openai\/(?:deployments\/([^/]+)|v1)(\/.*)$/.exec(rest) ?? [];
  const tellsUsage = ALWAYS_TELL_USAGE.includes(host);
  return { path: end.startsWith("/v1/") ? end : `/v1${end}`, deployment, tellsUsage };
}

export function answerTo(asked: Asked): Answer {
  const { method, key, expectedKey } = asked;
  const { path, deployment, tellsUsage } = plainPath(asked.path);
  if (key !== expectedKey) return refusal(401, `Incorrect API key provided: ${key}.`, "invalid_api_key");
  const models = [{ id: "gpt-4o-mini", object: "model", created: 0, owned_by: "stand-in" }];
  if (method === "GET" && path === "/v1/models") return plain(200, { object: "list", data: models });
  const api = method === "POST" ? APIS[path] : undefined;
  if (api === undefined) return refusal(404, `Invalid URL (${method} ${asked.path})`, null);
  const sent = bodyIn(asked.body);
  const body = tellsUsage && sent !== null ? { ...sent, stream_options: { include_usage: true } } : sent;
  if (body === null) return refusal(400, "We could not parse the JSON body of your request.", null);
  const { model = deployment } = body;
  if (typeof model !== "string") return refusal(400, "you must provide a model parameter", null);
  const said = saidTo(body, path === "/v1/embeddings");
  const isStream = body["stream"] === true && api.events !== undefined;
  return {
    status: 200,
    json: isStream ? {} : api.json(body, said),
    pieces: isStream ? (api.events?.(body, said) ?? null) : null,
    outputTokens: said.outputTokens,
    served: { path: asked.path, model, inputTokens: said.inputTokens },
  };
}

function plain(status: number, json: object): Answer {
  return { status, json, pieces: null, outputTokens: 0, served: null };
}

function refusal(status: number, message: string, code: string | null): Answer {
  return plain(status, {
    type: "error",
    error: { message, type: "invalid_request_error", param: null, code },
  });
}

function bodyIn(text: string): Body | null {
  try {
    const body = JSON.parse(text) as unknown;
    return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Body) : null;
  } catch {
    return null;
  }
}
