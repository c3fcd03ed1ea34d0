import { inputOf, outputOf } from "../rates.ts";
import type { Json, Said, Wire } from "../shape.ts";
import { event, known } from "./events.ts";

const ID = "chatcmpl-1";
const CREATED = 1_760_000_000;

/** OpenAI's chats, and those of hosts that are compatible with it. */
export const chat: Wire = {
  usageOf(billed) {
    const { cached = 0, audioIn = 0, thoughts = 0, audioOut = 0 } = billed;
    const [input, output] = [inputOf(billed), outputOf(billed)];
    return {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: audioIn },
      completion_tokens_details: {
        reasoning_tokens: thoughts,
        audio_tokens: audioOut,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    };
  },
  whole: ({ model, words, usage, tier }) =>
    known({
      id: ID,
      object: "chat.completion",
      created: CREATED,
      model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: words.join(""), refusal: null },
          finish_reason: "stop",
        },
      ],
      usage: usage ?? undefined,
      service_tier: tier,
    }),
  pieces(said) {
    const { words, usage, tellsEarly } = said;
    const last = usage === null ? [] : [event(chunk(said, [], usage))];
    return [
      event(chunk(said, [choice({ role: "assistant", content: "" })])),
      ...(tellsEarly ? last : []),
      ...words.map((content) => event(chunk(said, [choice({ content })]), { tokens: 1 })),
      event(chunk(said, [choice({}, "stop")])),
      ...(tellsEarly ? [] : last),
      event("[DONE]"),
    ];
  },
  failure: () => event({ error: { message: "The server had an error.", type: "server_error", code: null } }),
};

function choice(delta: Json, reason: string | null = null): Json {
  return { index: 0, delta, finish_reason: reason };
}

function chunk({ model, tier }: Said, choices: readonly Json[], usage?: Json): Json {
  return known({
    id: ID,
    object: "chat.completion.chunk",
    created: CREATED,
    model,
    choices,
    usage,
    service_tier: tier,
  });
}
