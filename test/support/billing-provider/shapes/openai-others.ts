import { type Json, nothing, PROMPT, type Shape, zeros } from "../shape.ts";
import {
  completions,
  embeddings,
  images,
  speech,
  textTranscriptions,
  timedTranscriptions,
  transcriptions,
} from "../wires/openai-others.ts";
import { quietFlac, wavOf } from "./recordings.ts";

const COMPLETION = {
  host: "openai",
  path: "/v1/completions",
  body: { model: "gpt-3.5-turbo-instruct", max_tokens: 500, prompt: PROMPT },
  wire: completions,
  priced: "openai gpt-3.5-turbo-instruct",
  billed: { text: 400, output: 50 },
} as const satisfies Omit<Shape, "name">;
const EMBEDDING = {
  host: "openai",
  path: "/v1/embeddings",
  body: { model: "text-embedding-3-small", input: PROMPT },
  wire: embeddings,
  priced: "openai text-embedding-3-small",
  billed: { text: 800 },
} as const satisfies Omit<Shape, "name">;
const IMAGE = {
  host: "openai",
  path: "/v1/images/generations",
  body: { model: "gpt-image-1", prompt: PROMPT },
  wire: images,
  priced: "openai gpt-image-1",
  billed: { text: 60, imageOut: 4160 },
} as const satisfies Omit<Shape, "name">;
const SPEECH = {
  host: "openai",
  path: "/v1/audio/speech",
  body: { model: "gpt-4o-mini-tts", input: PROMPT, voice: "coral" },
  wire: speech,
  priced: "openai gpt-4o-mini-tts",
  billed: { text: 60, audioOut: 300 },
} as const satisfies Omit<Shape, "name">;
const RECORDING = {
  host: "openai",
  path: "/v1/audio/transcriptions",
  body: { model: "gpt-4o-transcribe", prompt: PROMPT },
  file: { name: "rain.wav", bytes: wavOf(20) },
  wire: transcriptions,
  priced: "openai gpt-4o-transcribe",
  billed: { text: 10, audioIn: 200, output: 50 },
} as const satisfies Omit<Shape, "name">;
const whisper = (fields: Json = {}) => ({
  body: { model: "whisper-1", prompt: PROMPT, ...fields },
  wire: timedTranscriptions,
  priced: "openai whisper-1",
  billed: { seconds: 20, output: 50 },
});

export const openAiOthers: readonly Shape[] = [
  { ...COMPLETION, name: "completion" },
  { ...COMPLETION, name: "completion, streamed", body: { ...COMPLETION.body, stream: true }, isStream: true },
  { ...COMPLETION, name: "completion, usage missing", tells: nothing },
  {
    ...COMPLETION,
    name: "completion, streamed, cut",
    body: { ...COMPLETION.body, stream: true },
    isStream: true,
    ends: "cut",
  },
  { ...EMBEDDING, name: "embedding" },
  { ...EMBEDDING, name: "embedding, usage of zeros", tells: zeros },
  { ...EMBEDDING, name: "embedding, usage missing", tells: nothing },
  { ...IMAGE, name: "image" },
  { ...IMAGE, name: "image, streamed", body: { ...IMAGE.body, stream: true }, isStream: true },
  { ...IMAGE, name: "image, usage missing", tells: nothing },
  { ...SPEECH, name: "speech" },
  { ...SPEECH, name: "speech, as events", body: { ...SPEECH.body, stream_format: "sse" }, isStream: true },
  {
    ...SPEECH,
    name: "speech, by the character",
    body: { model: "tts-1", input: PROMPT, voice: "coral" },
    priced: "openai tts-1",
    billed: ({ input }) => ({ characters: String(input).length }),
  },
  { ...RECORDING, name: "transcription" },
  {
    ...RECORDING,
    name: "transcription, streamed",
    body: { ...RECORDING.body, stream: true },
    isStream: true,
  },
  { ...RECORDING, name: "transcription, usage missing", tells: nothing },
  { ...RECORDING, ...whisper(), name: "transcription, by the second" },
  {
    ...RECORDING,
    ...whisper({ response_format: "text" }),
    name: "transcription, by the second, as text",
    wire: textTranscriptions,
  },
  {
    ...RECORDING,
    ...whisper(),
    name: "transcription, five quiet hours in 40 KB of FLAC",
    file: { name: "quiet.flac", bytes: quietFlac(18_000) },
    billed: { seconds: 18_000, output: 1 },
  },
  {
    ...RECORDING,
    ...whisper({ response_format: "text" }),
    name: "transcription, five quiet hours in 40 KB of FLAC, as text",
    wire: textTranscriptions,
    file: { name: "quiet.flac", bytes: quietFlac(18_000) },
    billed: { seconds: 18_000, output: 1 },
  },
];
