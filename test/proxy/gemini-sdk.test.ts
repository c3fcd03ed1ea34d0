import { GoogleGenAI } from "@google/genai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { refuse } from "../../src/contract/refusal.ts";
import { createProxy } from "../../src/proxy/index.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

/** Google's own SDK through the proxy, before a stand-in that answers as the API's reference prints. */

const PROVIDER_KEY = "AIza-of-the-provider-0123456789";
const USAGE = { promptTokenCount: 4, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 9 };
const part = (text: string) => ({ content: { role: "model", parts: [{ text }] }, index: 0 });
const HELLO = { candidates: [part("Hello")], modelVersion: "gemini-2.5-flash" };
const END = { candidates: [{ ...part(" there."), finishReason: "STOP" }], usageMetadata: USAGE };

let service: SmallService;
let sent: { url: URL; headers: Headers }[];
let background: Promise<unknown>[];

function answerTo(url: URL): Response {
  if (url.pathname.endsWith(":streamGenerateContent")) {
    const events = [HELLO, END].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
    return new Response(events, { headers: { "content-type": "text/event-stream" } });
  }
  if (url.pathname.endsWith(":batchEmbedContents"))
    return Response.json({ embeddings: [{ values: [0.1, 0.2] }] });
  return Response.json({ ...END, candidates: [{ ...part("Hello there."), finishReason: "STOP" }] });
}

beforeEach(() => {
  [service, sent, background] = [new SmallService(), [], []];
  const proxy = createProxy({
    binding: service,
    orgs: "*",
    providers: { gemini: { key: PROVIDER_KEY } },
    fetch: async (to, { headers }) => {
      const url = new URL(to);
      sent.push({ url, headers: new Headers(headers) });
      return answerTo(url);
    },
  });
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) =>
    proxy.fetch(new Request(input, init), { waitUntil: (work) => void background.push(work) }),
  );
});
afterEach(() => void vi.unstubAllGlobals());

const sdk = () => new GoogleGenAI({ apiKey: SMALL_KEY, httpOptions: { baseUrl: "http://proxy/gemini" } });
const ask = { model: "gemini-2.5-flash", contents: "Hi", config: { maxOutputTokens: 50 } };

async function settled(): Promise<void> {
  for (let done = -1; done < background.length;) {
    done = background.length;
    await Promise.all(background);
  }
}

describe("Google's SDK", () => {
  test("gets a whole answer, which is charged by its usage, thoughts included", async () => {
    const answer = await sdk().models.generateContent(ask);
    expect(answer.text).toBe("Hello there.");
    await settled();
    expect(service.runs).toMatchObject([
      { model: "gemini-2.5-flash", provider: "google", usage: { input_tokens: 4, output_tokens: 5 } },
    ]);
    expect(sent[0]?.url.href).toBe(
      "https://generativelanguage.googleapis.com/v1/models/gemini-2.5-flash:generateContent",
    );
    expect(sent[0]?.headers.get("x-goog-api-key")).toBe(PROVIDER_KEY);
    expect(JSON.stringify([...(sent[0]?.headers ?? [])])).not.toContain(SMALL_KEY);
  });

  test("gets a stream, piece by piece", async () => {
    const pieces: string[] = [];
    for await (const { text } of await sdk().models.generateContentStream(ask)) pieces.push(text ?? "");
    expect(pieces).toEqual(["Hello", " there."]);
    await settled();
    expect(service.runs).toMatchObject([
      { usage: { input_tokens: 4, output_tokens: 5 }, outcome: "completed" },
    ]);
    expect(service.open.size).toBe(0);
  });

  test("gets embeddings", async () => {
    const { embeddings } = await sdk().models.embedContent({ model: "gemini-embedding-001", contents: "Hi" });
    expect(embeddings?.[0]?.values).toEqual([0.1, 0.2]);
    await settled();
    expect(service.runs).toMatchObject([{ model: "gemini-embedding-001" }]);
  });

  test("throws a refusal with its status and its reason, and nothing is sent", async () => {
    const details = { cap_usd: "1", spent_usd: "1", resets_at: "2026-01-01T00:00:00+00:00" };
    service.judge = () => refuse("spend_cap_exceeded", details);
    const error = await sdk()
      .models.generateContent(ask)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "ApiError", status: 402 });
    expect(String(error)).toContain("spend_cap_exceeded");
    expect(sent).toEqual([]);
  });

  test("follows a fallback by the path", async () => {
    const then = [{ model: "gemini-2.5-flash-lite", provider: null }];
    service.rules = [{ name: "cheaper", then, on: ["limit"], begins: false }];
    const details = { cap_usd: "1", spent_usd: "1", resets_at: "2026-01-01T00:00:00+00:00" };
    service.judge = ({ model }) =>
      model === "gemini-2.5-flash" ? refuse("spend_cap_exceeded", details) : null;
    expect((await sdk().models.generateContent(ask)).text).toBe("Hello there.");
    expect(sent[0]?.url.pathname).toBe("/v1/models/gemini-2.5-flash-lite:generateContent");
  });
});
