import { createOpenAI } from "@ai-sdk/openai";
import { generateImage } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { governImages } from "../../src/adapters/ai-sdk.ts";
import { governedFetch } from "../../src/adapters/fetch.ts";
import { Refused } from "../../src/client/errors.ts";
import { governed, PROVIDER_KEY } from "../support/governed.ts";
import { providerThat, proxyBefore } from "../support/hostile-provider.ts";
import { call } from "../support/server.ts";

/** A model without a price is the same refusal by every way in, whether its calls count tokens or pieces. */

const NO_PRICE = {
  code: "validation_failed",
  details: { fields: [{ field: "model", code: "no_price" }] },
};

test.each([
  ["tokens", "/v1/chat/completions", { model: "nobody-1", messages: [] }],
  ["pictures", "/v1/images/generations", { model: "dall-e-nobody", prompt: "a cat" }],
  ["characters", "/v1/audio/speech", { model: "tts-nobody", input: "hi", voice: "alloy" }],
])("of %s", async (_, path, body) => {
  const { gate, key } = await governed();
  const { url, got } = await providerThat((__, response) => response.end("{}"));
  const ask = { model: body.model, provider: "openai", estimate: { input_tokens: 1, max_output_tokens: 1 } };
  const { error } = (await call("POST", "/v1/edge/decision", { key, body: ask })).body;
  expect(error).toMatchObject(NO_PRICE);

  const proxied = await proxyBefore(url)(`/openai${path}`, { key, body: JSON.stringify(body) });
  // Tools show the message alone, so that of a governed call names the field.
  const message = "Some fields are invalid: model has no price in this organization's price book.";
  const told = expect.objectContaining({ ...error, message });
  expect([proxied.status, await proxied.json()]).toEqual([422, { error: told }]);

  const client = new OpenAI({ apiKey: PROVIDER_KEY, baseURL: `${url}/v1`, fetch: governedFetch({ gate }) });
  const fetched = client.post(path.slice("/v1".length), { body });
  await expect(fetched).rejects.toMatchObject({ status: 422, error: { ...error, message } });
  await expect(gate.decide(ask)).rejects.toMatchObject({
    status: 422,
    code: error.code,
    details: error.details,
  });
  expect(got).toHaveLength(0);
});

test("of pictures by the AI SDK", async () => {
  const { gate } = await governed();
  const sent: unknown[] = [];
  const fetch = async (url: unknown) => (sent.push(url), Response.json({}));
  const image = createOpenAI({ apiKey: PROVIDER_KEY, fetch }).image("dall-e-nobody");
  const model = governImages(image, { gate });
  const refused = await generateImage({ model, prompt: "a cat" }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refused);
  expect(refused).toMatchObject({ status: 422, ...NO_PRICE });
  expect(sent).toEqual([]);
});
