import type { Piece } from "./piece.ts";
import * as bedrock from "./bedrock.ts";
import { asOthers, geminiBody, geminiEmbedding, geminiEvents } from "./gemini.ts";
import { anthropicBody, anthropicEvents } from "./anthropic.ts";
import { recordedAnswer, recordedPieces } from "./recorded.ts";
import { chatBody, chatEvents, embeddingBody, responseBody, responseEvents } from "./openai.ts";
import { type StandInReply, replyTo } from "./words.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly expectedKey: string;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly json: object;
  /** Null: the answer is the JSON. */
  readonly pieces: Iterable<Piece> | null;
  /** The content type of the pieces. */
  readonly streamType: string;
  readonly outputTokens: number;
  /** Null: nothing was served that costs. */
  readonly served: { readonly path: string; readonly model: string; readonly inputTokens: number } | null;
}

type Body = Readonly<Record<string, unknown>>;

interface Api {
  readonly json: (body: Body, said: StandInReply) => object;
  readonly events?: (body: Body, said: StandInReply) => Iterable<Piece>;
  readonly streamType?: string;
}

const SERVER_SENT = "text/event-stream; charset=utf-8";
const AMAZON = "application/vnd.amazon.eventstream";

const APIS: Readonly<Record<string, Api>> = {
  "/v1/chat/completions": { json: chatBody, events: chatEvents },
  "/v1/responses": { json: responseBody, events: responseEvents },
  "/v1/embeddings": { json: embeddingBody },
  "/v1/messages": { json: anthropicBody, events: anthropicEvents },
  ":generateContent": { json: geminiBody },
  ":streamGenerateContent": { json: geminiBody, events: geminiEvents },
  ":embedContent": { json: geminiEmbedding },
  "/converse": { json: bedrock.converseBody },
  "/converse-stream": { json: bedrock.converseBody, events: bedrock.converseEvents, streamType: AMAZON },
};

/** Hosts that tell the usage of every stream. The others tell it if they are asked. */
const ALWAYS_TELL_USAGE = ["mistral", "perplexity"];

/** A request as one of `APIS` has it. */
interface PlainRequest {
  readonly path: string;
  /** What the path says, in members of the body. */
  readonly body: Body;
}

/**
 * A host may be named before the path. Azure, Bedrock and Gemini name the model in it, the latter two also what they do, and
 * Perplexity no version.
 */
function plainRequest(path: string, body: Body): PlainRequest {
  const [, host = "", rest = path] = /^\/([a-z]+)(\/(?:v1|v1beta|openai|chat|model)\/.*)$/.exec(path) ?? [];
  const [, named, action] = /^\/v1(?:beta)?\/models\/([^:/]+):(\w+)$/.exec(rest) ?? [];
  if (action !== undefined) {
    const stream = action === "streamGenerateContent";
    return { path: `:${action}`, body: { ...asOthers(body), model: named, stream } };
  }
  const [, id, operation] = /^\/model\/([^/]+)(\/[a-z-]+)$/.exec(rest) ?? [];
  if (id !== undefined && operation !== undefined) {
    const stream = operation.endsWith("-stream");
    return { path: operation, body: { ...bedrock.asOthers(body), model: decodeURIComponent(id), stream } };
  }
  const [, model, end = rest] =
    /^\/(?:v1beta\/)?openai(?:\/deployments\/([^/]+)|\/v1)?(\/.*)$/.exec(rest) ?? [];
  const usage = ALWAYS_TELL_USAGE.includes(host) ? { stream_options: { include_usage: true } } : {};
  return {
    path: end.startsWith("/v1/") ? end : `/v1${end}`,
    body: { ...(model === undefined ? {} : { model }), ...body, ...usage },
  };
}

export function answerTo(asked: Asked): Answer {
  const { method, key, expectedKey } = asked;
  if (key !== expectedKey) return refusal(401, `Incorrect API key provided: ${key}.`, "invalid_api_key");
  const sent = bodyIn(asked.body);
  const { path, body } = plainRequest(asked.path, sent ?? {});
  const models = [{ id: "gpt-4o-mini", object: "model", created: 0, owned_by: "openai" }];
  if (method === "GET" && path === "/v1/models") return plain(200, { object: "list", data: models });
  if (method === "POST" && path === "/v1/messages/count_tokens")
    return plain(200, { input_tokens: replyTo(body, true).inputTokens });
  const api = method === "POST" ? APIS[path] : undefined;
  if (api === undefined && sent !== null) {
    const recorded = fromReference(asked, sent);
    if (recorded !== null) return recorded;
  }
  if (api === undefined) return refusal(404, `Invalid URL (${method} ${asked.path})`, null);
  if (sent === null) return refusal(400, "We could not parse the JSON body of your request.", null);
  const { model } = body;
  if (typeof model !== "string") return refusal(400, "you must provide a model parameter", null);
  const said = replyTo(body, /embed/i.test(path));
  const isStream = body["stream"] === true && api.events !== undefined;
  return {
    status: 200,
    json: isStream ? {} : api.json(body, said),
    pieces: isStream ? (api.events?.(body, said) ?? null) : null,
    streamType: api.streamType ?? SERVER_SENT,
    outputTokens: said.outputTokens,
    served: { path: asked.path, model, inputTokens: said.inputTokens },
  };
}

/** Of a provider that has no words of its own here. Null: nothing is known of the path. */
function fromReference({ method, path }: Asked, body: Body): Answer | null {
  const [, provider = "", rest = ""] = /^\/([a-z]+)(\/.*)$/.exec(path) ?? [];
  const recorded = recordedAnswer(provider, `${method} ${rest}`);
  const isStream = body["stream"] === true;
  const { charged } = (isStream ? recorded?.stream : recorded?.whole) ?? {};
  if (recorded === undefined || !charged) return null;
  const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = charged.usage;
  const { model } = body;
  return {
    status: 200,
    json: recorded.whole.body ?? {},
    pieces: isStream ? recordedPieces(recorded) : null,
    streamType: SERVER_SENT,
    outputTokens,
    served: { path, model: typeof model === "string" ? model : "", inputTokens },
  };
}

function plain(status: number, json: object): Answer {
  return { status, json, pieces: null, streamType: SERVER_SENT, outputTokens: 0, served: null };
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
