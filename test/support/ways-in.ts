import { createOpenAI } from "@ai-sdk/openai";
import { embed, generateImage, generateText, streamText, wrapLanguageModel } from "ai";
import { Hono } from "hono";
import { governedFetch } from "../../src/adapters/fetch.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";
import { governEmbeddings, governImages, sluiceMiddleware } from "../../src/adapters/ai-sdk.ts";
import { govern, type SluiceVariables } from "../../src/adapters/hono.ts";
import { type Governed, PROVIDER_KEY } from "./governed.ts";
import { proxyBefore } from "./hostile-provider.ts";
import { type AnswerKind, fileOf, type ProviderFixture, requestOf, WANTED } from "./provider-fixtures.ts";

/** Every way by which a call is governed on its way to a provider. */

export interface Sent {
  readonly org: Governed;
  readonly fixture: ProviderFixture;
  readonly kind: AnswerKind;
  /** Where the provider is. */
  readonly url: string;
}

/** What came back. */
export interface CameBack {
  readonly status: number;
  /** Undefined: the way hands out no bytes. */
  readonly bytes?: Buffer;
  /** The bound that the answer tells. */
  readonly bound: string | null;
  /** What was asked for, where that can be seen. */
  readonly reserved?: object | undefined;
}

export interface WayIn {
  readonly name: string;
  /** Whether answers say in a header which bound their request got. The others have given it to the caller's own code. */
  readonly tellsBound: boolean;
  /** The bound of a call that has none, where it is not the fixture's, because the way does not know the path. */
  readonly boundTokens?: Readonly<Record<string, number>>;
  /** Calls that cost what was reserved, because the way does not read what their answers say. */
  readonly unread?: readonly string[];
  /** Undefined: it serves the call. Else why it cannot. */
  lacks(fixture: ProviderFixture, kind: AnswerKind): string | undefined;
  send(sent: Sent): Promise<CameBack>;
}

const serves = () => undefined;

function asked({ fixture, kind }: Sent): RequestInit {
  const request = requestOf(fixture, kind === "stream" ? fixture.stream?.members : {});
  const headers = new Headers(request.headers);
  headers.set(WANTED, kind);
  return { ...request, headers };
}

const pathOf = ({ call }: ProviderFixture): string => call.split(" ")[1] ?? "";

async function cameBack(answer: Response): Promise<CameBack> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, bytes, bound: answer.headers.get("x-sluice-max-output-tokens") };
}

function withKey(init: RequestInit, key: string): RequestInit {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${key}`);
  return { ...init, headers };
}

/** The proxy as a Worker. Its address is known when it has started. */
export const inWorkerd = (worker: () => string): WayIn => ({
  name: "the proxy in workerd",
  tellsBound: true,
  lacks: serves,
  send: async (sent) => {
    const { org, fixture } = sent;
    const to = `${worker()}/${fixture.provider}${pathOf(fixture)}`;
    return cameBack(await fetch(to, withKey(asked(sent), org.key)));
  },
});

export const inNode: WayIn = {
  name: "the proxy in Node",
  tellsBound: true,
  lacks: serves,
  send: async (sent) => {
    const { org, fixture, url } = sent;
    const { body: content, ...init } = asked(sent);
    // A form has a boundary, which is in its own content type.
    const { body, headers } = new Request("http://form.test", {
      ...init,
      body: content ?? null,
      method: "POST",
    });
    const stream = body === null ? {} : { body, duplex: "half" as const };
    const call = { ...init, headers, ...stream, key: org.key };
    return cameBack(await proxyBefore(url)(`/${fixture.provider}${pathOf(fixture)}`, call));
  },
};

export const byFetch: WayIn = {
  name: "governedFetch",
  tellsBound: true,
  lacks: serves,
  send: async (sent) => {
    const { org, fixture, url } = sent;
    const { provider } = fixture;
    let reserved: object | undefined;
    const gate: CallGate = new Proxy(org.gate, {
      get: (target, name: keyof CallGate) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== "decide")
          return typeof member === "function" ? (member.bind(target) as unknown) : member;
        return (ask: Parameters<CallGate["decide"]>[0]) => {
          reserved = ask.estimate;
          return target.decide(ask);
        };
      },
    });
    const send = governedFetch({ gate, provider });
    const answer = await send(url + pathOf(fixture), withKey(asked(sent), PROVIDER_KEY));
    return { ...(await cameBack(answer)), reserved };
  },
};

/** Only the path says that a provider writes no more than 16 tokens where a request sets no bound: else the model's maximum holds. */
const WITHOUT_PATH = {
  "POST /v1/completions": 4096,
  "POST /v1/engines/gpt-3.5-turbo-instruct/completions": 4096,
} as const;

/** A handler makes the call. It asks for what the fixture says that is reserved, and sends the bound that it gets. */
export const byHono: WayIn = {
  name: "the Hono middleware",
  tellsBound: false,
  boundTokens: WITHOUT_PATH,
  unread: ["POST /v1/audio/translations"],
  lacks: serves,
  send: async (sent) => {
    const { org, fixture, kind, url } = sent;
    const { model, provider, boundTokens } = fixture;
    const shown = kind === "stream" ? fixture.stream : fixture.whole;
    const { input_tokens, max_output_tokens } = shown?.reserved ?? {};
    const { cost_usd = "0" } = shown?.charged ?? {};
    const tokens = boundTokens === null ? { input_tokens, max_output_tokens } : { input_tokens };
    const estimate = input_tokens === undefined ? { cost_usd } : tokens;
    const app = new Hono<{ Variables: SluiceVariables }>();
    const named = model === null ? {} : { model };
    app.use(govern({ gate: org.gate, ask: () => ({ ...named, provider, estimate }) }));
    app.all("*", (c) => {
      const { maxOutputTokens } = c.get("sluice");
      const init = asked(sent);
      const bound = maxOutputTokens === null ? {} : { max_tokens: maxOutputTokens };
      const body =
        typeof init.body === "string" ? JSON.stringify({ ...JSON.parse(init.body), ...bound }) : init.body;
      return fetch(url + pathOf(fixture), { ...init, body: body ?? null });
    });
    return cameBack(await app.request("/"));
  },
};

type SdkCall = (sent: Sent) => Promise<unknown>;

const openaiOf = ({ url, kind }: Sent) =>
  createOpenAI({ apiKey: PROVIDER_KEY, baseURL: `${url}/v1`, headers: { [WANTED]: kind } });

const textBy =
  (kind: "chat" | "completion" | "responses"): SdkCall =>
  async (sent) => {
    const { org, fixture } = sent;
    const middleware = sluiceMiddleware({ gate: org.gate });
    const model = wrapLanguageModel({ model: openaiOf(sent)[kind](fixture.model ?? ""), middleware });
    const call = { model, prompt: "When does the harbour open?", maxRetries: 0 };
    if (sent.kind !== "stream") return generateText(call);
    const errors: unknown[] = [];
    await streamText({ ...call, onError: ({ error }) => void errors.push(error) }).consumeStream();
    if (errors.length > 0) throw errors[0];
    return undefined;
  };

const pictureBy: SdkCall = (sent) => {
  const { gate } = sent.org;
  const model = governImages(openaiOf(sent).image("gpt-image-1"), { gate });
  const { file } = sent.fixture.request;
  const text = "A harbour";
  return file === undefined
    ? generateImage({ model, prompt: text, maxRetries: 0 })
    : fileOf(file)
        .bytes()
        .then((bytes) => generateImage({ model, prompt: { text, images: [bytes] }, maxRetries: 0 }));
};

const embeddingBy: SdkCall = (sent) => {
  const { gate } = sent.org;
  const model = governEmbeddings(openaiOf(sent).embedding("text-embedding-3-small"), { gate });
  return embed({ model, value: "The harbour opens at six.", maxRetries: 0 });
};

const SDK_CALLS: Readonly<Record<string, SdkCall>> = {
  "POST /v1/chat/completions": textBy("chat"),
  "POST /v1/completions": textBy("completion"),
  "POST /v1/responses": textBy("responses"),
  "POST /v1/embeddings": embeddingBy,
  "POST /v1/images/generations": pictureBy,
  "POST /v1/images/edits": pictureBy,
};

/** Why the AI SDK does not make a call. */
const NOT_IN_SDK: Readonly<Record<string, string>> = {
  "POST /v1/engines/gpt-3.5-turbo-instruct/completions": "it calls /v1/completions",
  "POST /v1/responses/compact": "it has no call for it",
  "POST /v1/audio/speech": "it has no middleware for speech models",
  "POST /v1/audio/transcriptions": "it has no middleware for transcription models",
  "POST /v1/audio/translations": "it has no call for it",
  "POST /v1/moderations": "it has no call for it",
  "GET /v1/models": "it has no call for it",
  "GET /v1/models/gpt-4o-mini": "it has no call for it",
  "POST /v1/messages": "its models of Anthropic are in a package that is not installed here",
  "POST /v1/complete": "it calls /v1/messages",
  "POST /v1/messages/count_tokens": "it has no call for it",
  "GET /v1/models/claude-sonnet-4-5-20250929": "it has no call for it",
};

export const byAiSdk: WayIn = {
  name: "the AI SDK middleware",
  tellsBound: false,
  lacks: ({ call }, kind) =>
    NOT_IN_SDK[call] ??
    (kind === "stream" && /images/.test(call) ? "it does not stream pictures" : undefined),
  send: async (sent) => {
    try {
      await SDK_CALLS[sent.fixture.call]?.(sent);
      return { status: 200, bound: null };
    } catch (error) {
      const { statusCode, status = statusCode } = error as { statusCode?: number; status?: number };
      if (status === undefined) throw error;
      return { status, bound: null };
    }
  },
};
