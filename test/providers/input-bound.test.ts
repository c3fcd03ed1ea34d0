import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seenInput } from "../../src/providers/body/input-bound.ts";

const PICTURE = 5000;
const seen = (body: object) => seenInput(body as Record<string, unknown>, PICTURE);
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });

test("text has at most as many tokens as bytes, whatever it looks like", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.constantFrom("data:image/png;base64,AAAA", "data:audio/wav,xx", "https://x.test/a.png", "file_id"),
  );
  fc.assert(
    fc.property(text, fc.constantFrom("text", "input_text", "tool_result"), (given, type) => {
      const bytes = new TextEncoder().encode(given).byteLength;
      for (const body of [user(given), user([{ type, text: given }]), { tools: [{ description: given }] }]) {
        expect(seen(body).tokens).toBeGreaterThanOrEqual(bytes);
      }
    }),
  );
});

describe("a picture counts as one, and text that poses as a picture as text", () => {
  const url = `data:image/png;base64,${"A".repeat(100_000)}`;
  test.each([
    ["of chat", user([{ type: "image_url", image_url: { url } }]), true],
    ["of responses", { input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] }, true],
    [
      "of messages",
      user([
        { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(100_000) } },
      ]),
      true,
    ],
    ["in a text", user([{ type: "text", text: url }]), false],
    ["in a tool", { tools: [{ type: "image_url", image_url: { url } }] }, false],
    [
      "in a schema",
      { response_format: { schema: { type: "image", source: { data: "A".repeat(100_000) } } } },
      false,
    ],
    [
      "in the arguments of a tool",
      user([
        {
          type: "tool_use",
          id: "t",
          name: "paint",
          input: { type: "image", source: { media_type: "image/png", data: "A".repeat(100_000) } },
        },
      ]),
      false,
    ],
    [
      "in the schema of a tool that an item adds",
      {
        input: [
          { type: "additional_tools", tools: [{ parameters: { type: "input_image", image_url: url } }] },
        ],
      },
      false,
    ],
    [
      "beside a picture",
      user([{ type: "image", source: { media_type: "image/png", data: "AAAA", note: "A".repeat(100_000) } }]),
      false,
    ],
    [
      "in a document of text",
      user([
        { type: "document", source: { type: "text", media_type: "image/png", data: "A".repeat(100_000) } },
      ]),
      false,
    ],
    [
      "in a document that says nothing of its kind",
      user([{ type: "document", document: { data: "A".repeat(100_000) } }]),
      false,
    ],
    [
      "in a document that is read as text whatever it says",
      user([{ type: "document", document: { media_type: "image/png", data: "A".repeat(100_000) } }]),
      false,
    ],
    [
      "in a source that says nothing of its kind",
      user([{ type: "document", source: { data: "A".repeat(100_000) } }]),
      false,
    ],
    ["in the context of a document", user([{ type: "document", source: {}, context: url }]), false],
    [
      "in a text within a document",
      user([{ type: "document", source: { type: "content", content: [{ type: "text", text: url }] } }]),
      false,
    ],
    [
      "in the fields of a document",
      user([
        { type: "document", document: { data: { type: "image", url, data: { media_type: "image/png" } } } },
      ]),
      false,
    ],
    [
      "in what a function returned",
      { input: [{ functionResponse: { response: { type: "image", media_type: "image/png", data: url } } }] },
      false,
    ],
    [
      "in what a tool returned",
      user([
        { type: "tool-result", output: { value: { type: "image", media_type: "image/png", data: url } } },
      ]),
      false,
    ],
  ])("%s", (_, body, isPicture) => {
    const { tokens } = seen(body);
    if (isPicture) expect(tokens).toBeLessThan(PICTURE + 200);
    else expect(tokens).toBeGreaterThanOrEqual(100_000);
    expect(tokens).toBeGreaterThanOrEqual(isPicture ? PICTURE : 100_000);
  });

  test("a small picture costs as much as a large one", () => {
    const data = "AAAA";
    const small = user([{ type: "image", source: { type: "base64", media_type: "image/png", data } }]);
    expect(seen(small).tokens).toBeGreaterThanOrEqual(PICTURE);
  });
});

describe("input that the body does not show is named", () => {
  test.each([
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
    ["conversation", { conversation: { id: "conv_1" } }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["file_id", user([{ type: "input_file", file_id: "file-1" }])],
    ["file_id", user([{ type: "document", source: { type: "file", file_id: "file_1" } }])],
    ["file_data", user([{ type: "file", file: { file_data: "JVBERi0=" } }])],
    ["file_data", user([{ type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=" } }])],
    ["file_data", user([{ type: "file", file: { file_data: "data:image/png;base64,JVBERi0=" } }])],
    ["document_url", user([{ type: "document_url", document_url: "https://x.test/a.pdf" }])],
    ["document_url", user([{ type: "document_url", document_url: "data:image/png;base64,JVBERi0=" }])],
    ["pdf_url", user([{ type: "pdf_url", pdf_url: { url: "JVBERi0=" } }])],
    ["reasoning", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }],
    [
      "document",
      user([{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } }]),
    ],
    ["url", user([{ type: "image_url", image_url: { url: "https://x.test/a.png" } }])],
    ["image_url", { input: [{ content: [{ type: "input_image", image_url: "https://x.test/a.png" }] }] }],
    ["url", user([{ type: "image", source: { type: "url", url: "http://x.test/a.png" } }])],
    ["item_reference", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["vector_store_ids", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["container", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
    ["mcp_servers", { mcp_servers: [{ type: "url" }] }],
  ])("%s", (name, body) => {
    expect(seen(body).unseen).toBe(name);
  });

  test("and all else is in the body", () => {
    const tool = {
      type: "function",
      function: { parameters: { properties: { file_id: { type: "string" } } } },
    };
    const body = {
      ...user("read https://x.test and file_id"),
      input: [{ type: "reasoning", id: "rs_1", encrypted_content: "gAAAA" }],
      tools: [tool],
      previous_response_id: null,
    };
    expect(seen(body).unseen).toBeNull();
  });
});

test("sound that an earlier answer spoke is not in the body", () => {
  expect(seen({ messages: [{ role: "assistant", audio: { id: "audio_1" } }] }).unseen).toBe("audio");
  expect(seen({ messages: [], audio: { voice: "alloy", format: "mp3" } }).unseen).toBeNull();
});

describe("input may be billed above the rate of text", () => {
  const sound = user([{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }]);
  test.each([
    ["if it is sound", sound, true],
    [
      "if a part of it is written to a cache",
      user([{ type: "text", text: "x", cache_control: { type: "ephemeral" } }]),
      true,
    ],
    ["if all of it is", { cache_control: { type: "ephemeral" }, messages: [] }, true],
    ["if a tool is", { tools: [{ name: "t", cache_control: { type: "ephemeral", ttl: "1h" } }] }, true],
    [
      "if the AI SDK says it so",
      user([{ text: "x", providerOptions: { anthropic: { cacheControl: {} } } }]),
      true,
    ],
    ["and is not where a text only says it", user("cache_control"), false],
    [
      "and is not where it is a picture",
      user([{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }]),
      false,
    ],
    ["and is not where there is no cache", { messages: [], cache_control: null }, false],
  ])("%s", (_, body, isCostly) => {
    expect(seen(body).isCostly).toBe(isCostly);
  });
});

describe("content rules read", () => {
  const text = "what nobody may say";
  test.each([
    ["documents of text", user([{ type: "document", source: { type: "text", data: text } }])],
    ["documents with a name for their kind", user([{ type: "document", document: { data: text } }])],
    ["documents beside messages", { documents: [{ data: { text } }, text] }],
  ])("%s", (_, body) => {
    expect(seen(body).texts).toContain(text);
  });
});

test("what is written to a cache for longer than usual is told apart", () => {
  const cached = (cache_control: object) =>
    seen(user([{ type: "text", text: "x", cache_control }])).hasLongCache;
  expect([cached({ ttl: "1h" }), cached({ ttl: "5m" }), cached({})]).toEqual([true, false, false]);
});
