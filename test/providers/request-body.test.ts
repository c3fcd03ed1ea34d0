import { describe, expect, test, vi } from "vitest";
import { readBody } from "../../src/providers/body/request-body.ts";
import { openAiTranscriptions } from "../../src/providers/apis/openai-audio.ts";
import { openAiChat } from "../../src/providers/apis/openai-chat.ts";
import { openAiImageEdits } from "../../src/providers/apis/openai-images.ts";
import type { ProviderApi } from "../../src/providers/provider-api.ts";

/** One reading of a body: what goes on is what was read. */

async function bodyOf(form: FormData): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string }> {
  const request = new Request("http://x.test", { method: "POST", body: form });
  const bytes = new Uint8Array(await request.arrayBuffer());
  return { bytes, type: request.headers.get("content-type") ?? "" };
}

const read = async (api: ProviderApi, fields: readonly (readonly [string, string | File])[]) => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const { bytes, type } = await bodyOf(form);
  return readBody(api, bytes, type);
};
const json = (text: string, type: string | null = "application/json") =>
  readBody(openAiChat, new TextEncoder().encode(text), type);
const file = new File(["sound"], "a.wav");

describe("a form", () => {
  test.each(["model", "file", "prompt", "temperature"])("with %s twice is refused", async (name) => {
    const value = name === "file" ? file : "1";
    await expect(
      read(openAiTranscriptions, [
        [name, value],
        [name, value],
      ]),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining(`"${name}" twice`) });
  });

  test("with a known name in another case is refused", async () => {
    const fields = [
      ["model", "whisper-1"],
      ["MODEL", "gpt-4o-transcribe"],
    ] as const;
    await expect(read(openAiTranscriptions, fields)).rejects.toMatchObject({ status: 400 });
  });

  test("with a name that its API does not list is refused before any file is read", async () => {
    const unlisted = ["known_speaker_references[]", "__proto__", "n"];
    for (const name of unlisted) {
      const form = new FormData();
      form.append("file", file);
      form.append(name, "1");
      const { bytes, type } = await bodyOf(form);
      const reads = vi.spyOn(File.prototype, "arrayBuffer");
      await expect(readBody(openAiTranscriptions, bytes, type)).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining(`"${name}" is not metered`),
      });
      expect(reads).not.toHaveBeenCalled();
      reads.mockRestore();
    }
  });

  test("has at most 64 fields", async () => {
    const fields = (count: number) => Array.from({ length: count }, () => ["keywords[]", "a"] as const);
    const { members } = await read(openAiTranscriptions, fields(64));
    expect(members["keywords[]"]).toHaveLength(64);
    await expect(read(openAiTranscriptions, fields(65))).rejects.toMatchObject({
      status: 400,
      message: "The form has more than 64 fields. Send fewer.",
    });
  });

  test("has several files under a name that ends in brackets, and they all count", async () => {
    const { members } = await read(openAiImageEdits, [
      ["image[]", file],
      ["image[]", file],
      ["n", "2"],
      ["stream", "true"],
    ]);
    expect(members).toMatchObject({
      "image[]": [expect.any(Uint8Array), expect.any(Uint8Array)],
      n: 2,
      stream: true,
    });
  });

  test("goes on as it was read, and the runtime names its boundary", async () => {
    const body = await read(openAiTranscriptions, [
      ["model", "whisper-1"],
      ["file", file],
    ]);
    const written = body.write(body.members);
    expect([written instanceof FormData, body.contentType]).toEqual([true, null]);
    expect([...(written as FormData).keys()]).toEqual(["model", "file"]);
  });

  test("is not taken for JSON, nor anything else for a form", async () => {
    const bytes = new TextEncoder().encode('{"model":"m"}');
    await expect(readBody(openAiChat, bytes, "multipart/form-data; boundary=x")).rejects.toMatchObject({
      status: 400,
      message: "Send the body as JSON.",
    });
    const fields = new TextEncoder().encode("model=whisper-1");
    for (const type of ["application/json", "application/x-www-form-urlencoded", null])
      await expect(readBody(openAiTranscriptions, fields, type)).rejects.toMatchObject({
        status: 400,
        message: "Send the body as multipart/form-data.",
      });
  });
});

describe("JSON", () => {
  test.each(["text/plain", "application/json; charset=utf-16", null])(
    "of the type %s goes on as what was read, in one spelling",
    async (type) => {
      const body = await json(' {"model":"m","a":[1, 2],"b":"\\u0061"} ', type);
      expect(body.members).toEqual({ model: "m", a: [1, 2], b: "a" });
      expect([body.write({ ...body.members, max_tokens: 5 }), body.contentType]).toEqual([
        '{"model":"m","a":[1,2],"b":"a","max_tokens":5}',
        "application/json",
      ]);
    },
  );
});
