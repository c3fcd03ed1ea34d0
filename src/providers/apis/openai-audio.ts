import { Unmetered } from "../unmetered.ts";
import { type JsonObject, objectOf } from "../json.ts";
import { openAiUsage } from "../usage/openai-usage.ts";
import { countOf } from "../usage/counts.ts";
import type { AnswerFacts, EventFacts, MeteredRequest, ProviderApi } from "../provider-api.ts";
import { audioSeconds, isMp4 } from "../media/audio-length.ts";
import { openAiError } from "../wire-refusal.ts";
import { OPENAI_HEADERS } from "./openai-chat.ts";
import { flagIn, modelIn, PLAIN } from "./request-members.ts";

const TOKENS_PER_SECOND = 10;
/** A transcript of the longest recording that is taken. */
const TRANSCRIPT_TOKENS = 16_384;
/** Slow speech has some six tokens of sound to a character. */
const SPEECH_TOKENS_PER_CHARACTER = 10;

const encoder = new TextEncoder();

/** Members that the model reads beside the sound. A form may have several of those in brackets. */
const WRITTEN = ["prompt", "keywords[]", "known_speaker_names[]"];

/** `POST /v1/audio/transcriptions` and `POST /v1/audio/translations`: a recording in, text out. */
export const openAiTranscriptions: ProviderApi = {
  name: "transcriptions",
  body: "form",
  // Left out: recordings of known speakers, which are billed as sound.
  members: new Set([
    "model",
    "file",
    "prompt",
    "stream",
    "response_format",
    "chunking_strategy",
    "chunking_strategy[type]",
    "chunking_strategy[threshold]",
    "chunking_strategy[prefix_padding_ms]",
    "chunking_strategy[silence_duration_ms]",
    "include",
    "include[]",
    "language",
    "languages[]",
    "keywords[]",
    "known_speaker_names[]",
    "temperature",
    "timestamp_granularities",
    "timestamp_granularities[]",
  ]),
  ownHeaders: OPENAI_HEADERS,
  answerMembers: ["usage", "duration"],
  readRequest(body, { pathModel }) {
    const model = modelIn(body, pathModel);
    const seconds = secondsIn(body);
    const texts = WRITTEN.flatMap((name) => body[name] ?? []).map(textOf);
    const isByTime = /^(?:whisper|gpt-transcribe)/.test(model);
    return {
      ...PLAIN,
      model,
      isStream: flagIn(body, "stream"),
      inputTokens: isByTime ? 0 : seconds * TOKENS_PER_SECOND + bytesOf(texts.join(" ")),
      fixedOutputTokens: isByTime ? 0 : TRANSCRIPT_TOKENS,
      hidesOutput: true,
      units: isByTime ? { audio_second: seconds } : {},
      texts,
    };
  },
  withBounds: (body) => body,
  readAnswer: transcriptionAnswer,
  readEvent: ({ type, delta, usage, error }) => ({
    usage,
    isWholeUsage: type === "transcript.text.done",
    text: [delta],
    isLast: type === "transcript.text.done",
    hasFailed: typeof error === "object" && error !== null,
  }),
  errorBody: openAiError,
};

/** A text of digits alone was read as a number. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array)
    throw new Unmetered(400, "Send text in the form as text, and not as a file.");
  return String(value);
}

/** Formats of answers that have the usage or the length. */
const TELLING_FORMATS = new Set<unknown>(["json", "verbose_json", "diarized_json"]);

/** Whole seconds, as they are billed. A recording whose length nobody can tell has no bound. */
function secondsIn({ file, response_format: format }: JsonObject): number {
  if (!(file instanceof Uint8Array)) throw new Unmetered(400, 'Send the recording as "file".');
  const seconds = audioSeconds(file);
  if (seconds === null)
    throw new Unmetered(
      400,
      "The length of this recording cannot be read. Send WAV (PCM), MP3, FLAC, Ogg or WebM (Opus or Vorbis), or M4A (AAC or ALAC).",
    );
  // Decoders play all frames of a sample of AAC, and the container counts samples. So the answer must say how long it was.
  if (isMp4(file) && !(format === undefined || TELLING_FORMATS.has(format)))
    throw new Unmetered(
      403,
      'An answer in this format does not tell the length of the recording, and neither does M4A. Set "response_format" to "json" or "verbose_json", or send WAV, MP3, FLAC, Ogg or WebM.',
    );
  return Math.ceil(seconds);
}

/** Tokens of sound and text, or seconds, rounded up. */
function transcriptionAnswer({ usage, duration }: JsonObject): AnswerFacts {
  const { type, seconds = duration } = objectOf(usage);
  const isByTime = type === "duration" || (usage === undefined && typeof seconds === "number");
  const counted = typeof seconds === "number" ? countOf(Math.ceil(seconds)) : null;
  if (isByTime && counted !== null) {
    const none = { input_tokens: 0, output_tokens: 0 };
    return { usage: none, units: { audio_second: counted }, variant: null, costUsd: null };
  }
  return { usage: openAiUsage(usage), units: null, variant: null, costUsd: null };
}

/** `POST /v1/audio/speech`: text in, sound out. Most answers are sound alone, and charged by what was reserved. */
export const openAiSpeech: ProviderApi = {
  name: "speech",
  body: "json",
  members: new Set(["model", "input", "instructions", "voice", "stream_format", "response_format", "speed"]),
  ownHeaders: OPENAI_HEADERS,
  answerMembers: ["usage"],
  readRequest: readSpeech,
  withBounds: (body) => body,
  readAnswer: ({ usage }) => ({ usage: openAiUsage(usage), units: null, variant: null, costUsd: null }),
  readEvent: ({ type, usage, error }): EventFacts => ({
    usage,
    isWholeUsage: type === "speech.audio.done",
    isUncounted: true,
    isLast: type === "speech.audio.done",
    hasFailed: typeof error === "object" && error !== null,
  }),
  errorBody: openAiError,
};

function readSpeech(body: JsonObject, { pathModel }: { pathModel: string | null }): MeteredRequest {
  const model = modelIn(body, pathModel);
  const { input, instructions } = body;
  if (typeof input !== "string") throw new Unmetered(400, 'Send the text as "input".');
  const isByCharacter = model.startsWith("tts-");
  return {
    ...PLAIN,
    model,
    isStream: body["stream_format"] === "sse",
    inputTokens: isByCharacter ? 0 : bytesOf(input) + bytesOf(instructions),
    fixedOutputTokens: isByCharacter ? 0 : input.length * SPEECH_TOKENS_PER_CHARACTER,
    hidesOutput: true,
    units: isByCharacter ? { speech_character: input.length } : {},
    texts: textsIn(input, instructions),
  };
}

function textsIn(...members: readonly unknown[]): string[] {
  return members.filter((member) => typeof member === "string");
}

function bytesOf(text: unknown): number {
  return typeof text === "string" ? encoder.encode(text).byteLength : 0;
}
