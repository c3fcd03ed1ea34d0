import { inputOf, outputOf } from "../rates.ts";
import type { Json, Said, Wire } from "../shape.ts";
import { event, known } from "./events.ts";

/** Gemini's own API. Its JSON leaves out counts of zero. */
export const gemini: Wire = {
  usageOf(billed) {
    const { text = 0, cached = 0, audioIn = 0, imageIn = 0, output = 0, thoughts = 0, imageOut = 0 } = billed;
    const shown = output + imageOut;
    return {
      ...counts({
        promptTokenCount: inputOf(billed),
        cachedContentTokenCount: cached,
        candidatesTokenCount: shown,
        thoughtsTokenCount: thoughts,
        totalTokenCount: inputOf(billed) + outputOf(billed),
      }),
      promptTokensDetails: modalities({ TEXT: text + cached, AUDIO: audioIn, IMAGE: imageIn }),
      ...(imageOut === 0 ? {} : { candidatesTokensDetails: modalities({ TEXT: output, IMAGE: imageOut }) }),
    };
  },
  whole: (said) => answer(said, [{ text: said.words.join("") }], { isLast: true }),
  pieces(said) {
    const { usage, words, tellsEarly } = said;
    // Each event has the usage so far: all of the input and the thoughts, and what was written.
    const soFar = (written: number): Json | null => {
      if (usage === null || (tellsEarly && written > 0)) return null;
      const rest = (said.billed.output ?? 0) - written;
      return {
        ...usage,
        ...counts({ totalTokenCount: Number(usage["totalTokenCount"]) - rest }),
        candidatesTokenCount: written,
      };
    };
    const last = words.at(-1) ?? "";
    return [
      event(answer({ ...said, usage: soFar(0) }, [{ text: "" }])),
      ...words
        .slice(0, -1)
        .map((text, at) => event(answer({ ...said, usage: soFar(at + 1) }, [{ text }]), { tokens: 1 })),
      event(answer({ ...said, usage: tellsEarly ? null : usage }, [{ text: last }], { isLast: true }), {
        tokens: 1,
      }),
    ];
  },
  failure: () => event({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }),
};

function answer({ model, usage, billed }: Said, parts: readonly Json[], { isLast = false } = {}): Json {
  const picture =
    isLast && (billed.imageOut ?? 0) > 0 ? [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] : [];
  return known({
    candidates: [
      known({
        content: { parts: [...parts, ...picture], role: "model" },
        finishReason: isLast ? "STOP" : undefined,
        index: 0,
      }),
    ],
    usageMetadata: usage ?? undefined,
    modelVersion: model,
  });
}

function counts(all: Readonly<Record<string, number>>): Json {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

function modalities(all: Readonly<Record<string, number>>): readonly Json[] {
  return Object.entries(all).flatMap(([modality, tokenCount]) =>
    tokenCount === 0 ? [] : [{ modality, tokenCount }],
  );
}

const MODALITIES: Readonly<Record<string, number>> = { TEXT: 1, IMAGE: 2, VIDEO: 3, AUDIO: 4, DOCUMENT: 5 };

/** The same answer as Google's front writes it where a query or a header asks for some fields, or for numbers of enums. */
export function asAsked(
  text: string,
  { query, headers }: { query: URLSearchParams; headers: Headers },
): string {
  const mask = query.get("fields") ?? query.get("$fields") ?? headers.get("x-goog-fieldmask") ?? null;
  const alt = query.get("$alt") ?? query.get("alt") ?? "";
  const numbered = alt.includes("enum-encoding=int")
    ? text.replaceAll(/"modality":"(\w+)"/g, (_, name: string) => `"modality":${MODALITIES[name] ?? 0}`)
    : text;
  if (mask === null || mask === "*") return numbered;
  const paths = mask.split(",").map((path) => path.replace(/^\*?\.?/, "").split(/[./]/));
  return numbered.replaceAll(/\{.*\}/g, (json) => JSON.stringify(masked(JSON.parse(json) as Json, paths)));
}

function masked(value: Json, paths: readonly (readonly string[])[]): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const own = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      if (own.length === 0) return [];
      const isWhole =
        own.some((rest) => rest.length === 0) || typeof member !== "object" || Array.isArray(member);
      return [[name, isWhole ? member : masked((member ?? {}) as Json, own)]];
    }),
  );
}
