import { inputOf, outputOf } from "../rates.ts";
import type { Json, Said, Wire } from "../shape.ts";
import { chat } from "./chat.ts";
import { event, known } from "./events.ts";

/** `POST /v1/completions`. */
export const completions: Wire = {
  usageOf: (billed) => chat.usageOf(billed),
  whole: (said) => completion(said, said.words.join(""), said.usage ?? undefined),
  pieces: (said) => [
    event(completion(said, "")),
    ...said.words.map((text) => event(completion(said, text), { tokens: 1 })),
    ...(said.usage === null ? [] : [event({ ...completion(said, ""), choices: [], usage: said.usage })]),
    event("[DONE]"),
  ],
};

function completion({ model }: Said, text: string, usage?: Json): Json {
  const choices = [{ text, index: 0, logprobs: null, finish_reason: usage === undefined ? null : "stop" }];
  return known({ id: "cmpl-1", object: "text_completion", created: 1_760_000_000, model, choices, usage });
}

/** `POST /v1/embeddings`. */
export const embeddings: Wire = {
  usageOf: (billed) => ({ prompt_tokens: inputOf(billed), total_tokens: inputOf(billed) }),
  whole: ({ model, usage }) =>
    known({
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }],
      model,
      usage: usage ?? undefined,
    }),
};

/** `POST /v1/images/generations`. All that comes out is a picture. */
export const images: Wire = {
  usageOf(billed) {
    const { imageIn = 0 } = billed;
    const [input, output] = [inputOf(billed), outputOf(billed)];
    return {
      input_tokens: input,
      input_tokens_details: { text_tokens: input - imageIn, image_tokens: imageIn },
      output_tokens: output,
      total_tokens: input + output,
    };
  },
  whole: ({ usage }) =>
    known({ created: 1_760_000_000, data: [{ b64_json: "AAAA" }], usage: usage ?? undefined }),
  pieces: ({ usage }) => [
    event({ type: "image_generation.partial_image", partial_image_index: 0, b64_json: "AAAA" }),
    event(known({ type: "image_generation.completed", b64_json: "AAAA", usage: usage ?? undefined })),
  ],
};

/** `POST /v1/audio/speech`. Only a stream of events tells a usage. */
export const speech: Wire = {
  usageOf: (billed) => ({
    input_tokens: inputOf(billed),
    output_tokens: outputOf(billed),
    total_tokens: inputOf(billed) + outputOf(billed),
  }),
  whole: () => Buffer.from("ID3 the sound of rain"),
  wholeType: "audio/mpeg",
  pieces: ({ usage }) => [
    event({ type: "speech.audio.delta", audio: "AAAA" }),
    event(known({ type: "speech.audio.done", usage: usage ?? undefined })),
  ],
};

/** `POST /v1/audio/transcriptions` of models that are billed by the token. */
export const transcriptions: Wire = {
  usageOf: (billed) => ({
    type: "tokens",
    input_tokens: inputOf(billed),
    input_token_details: { text_tokens: billed.text ?? 0, audio_tokens: billed.audioIn ?? 0 },
    output_tokens: outputOf(billed),
    total_tokens: inputOf(billed) + outputOf(billed),
  }),
  whole: ({ words, usage }) => known({ text: words.join(""), usage: usage ?? undefined }),
  pieces: ({ words, usage }) => [
    ...words.map((delta) => event({ type: "transcript.text.delta", delta }, { tokens: 1 })),
    event(known({ type: "transcript.text.done", text: words.join(""), usage: usage ?? undefined })),
  ],
};

/** Of models that are billed by the second. */
export const timedTranscriptions: Wire = {
  usageOf: ({ seconds = 0 }) => ({ type: "duration", seconds }),
  whole: ({ words, usage }) => known({ text: words.join(""), usage: usage ?? undefined }),
};

/** The same in a form that tells no length. */
export const textTranscriptions: Wire = {
  ...timedTranscriptions,
  whole: ({ words }) => Buffer.from(words.join("")),
  wholeType: "text/plain",
};
