import { pictureTokensOf } from "../../providers/apis/openai-images.ts";
import { PLAIN } from "../../providers/apis/request-members.ts";
import { seenInput } from "../../providers/body/input-bound.ts";
import type { FactsOfModel } from "../../providers/model-facts.ts";
import { objectOf } from "../../providers/json.ts";
import type { MeteredRequest, Usage } from "../../providers/provider-api.ts";
import { countOf, partsOf, totalsOf } from "../../providers/usage/counts.ts";
import type { GovernedCall } from "../governed-call.ts";
import { beginCall, type CalledModel, type SluiceModelOptions } from "./model-call.ts";
import { embeddingUsage, readingOf } from "./reported-usage.ts";

interface EmbedParams {
  readonly values: readonly unknown[];
}

interface EmbeddingModel extends CalledModel {
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of the SDK has parameters of its own
  doEmbed(params: any): PromiseLike<{ readonly usage?: { readonly tokens: number } | undefined }>;
}

/** The same model, each of whose calls is asked for before it is made and settled by its usage. */
export function governEmbeddings<M extends EmbeddingModel>(
  model: M,
  options: SluiceModelOptions<EmbedParams>,
): M {
  return withMethod(model, "doEmbed", async (params: EmbedParams) => {
    const read = (name: string, { pictureTokens }: FactsOfModel): MeteredRequest => {
      const { tokens, unseen, texts } = seenInput({ input: params.values }, pictureTokens);
      return { ...PLAIN, model: name, inputTokens: tokens, unseenInput: unseen, texts };
    };
    const call = await beginCall(options, { model, params }, read);
    const result = await attempt(call, () => model.doEmbed(params));
    call.finish(readingOf(embeddingUsage(result.usage?.tokens)));
    return result;
  });
}

interface ImageParams {
  readonly prompt?: string | undefined;
  readonly n?: number;
  readonly files?: readonly unknown[] | undefined;
  readonly mask?: unknown;
}

interface ImageUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

interface ImageModel extends CalledModel {
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of the SDK has parameters of its own
  doGenerate(params: any): PromiseLike<ImageResult>;
}

interface ImageResult {
  readonly images: readonly unknown[];
  readonly usage?: ImageUsage | undefined;
  readonly providerMetadata?: unknown;
}

/** The same model, each of whose calls is asked for before it is made and settled by its usage, or at what was reserved. */
export function governImages<M extends ImageModel>(model: M, options: SluiceModelOptions<ImageParams>): M {
  return withMethod(model, "doGenerate", async (params: ImageParams) => {
    const call = await beginCall(options, { model, params }, (name) => readImages(name, params));
    const result = await attempt(call, () => model.doGenerate(params));
    call.finish(readingOf(pictureUsage(params, result)));
    return result;
  });
}

/** Pictures that are read have a price of their own. Where nobody tells how many tokens they have, all of the input is theirs. */
function pictureUsage(params: ImageParams, { usage, providerMetadata }: ImageResult): Usage | null {
  const totals = totalsOf(usage?.inputTokens, usage?.outputTokens);
  if (totals === null) return null;
  const told = Object.values(objectOf(providerMetadata)).flatMap((provider) => {
    const { images } = objectOf(provider);
    return Array.isArray(images) ? images.map((image) => countOf(objectOf(image)["imageTokens"])) : [];
  });
  const isTold = told.length > 0 && told.every((count) => count !== null);
  const image_input_tokens = isTold
    ? told.reduce((sum, count) => sum + (count ?? 0), 0)
    : picturesIn(params) > 0
      ? totals.input_tokens
      : 0;
  return {
    ...totals,
    ...partsOf(totals.input_tokens, { image_input_tokens }),
    ...partsOf(totals.output_tokens, { image_output_tokens: totals.output_tokens }),
  };
}

function picturesIn({ files = [], mask }: ImageParams): number {
  return files.length + (mask === undefined || mask === null ? 0 : 1);
}

function readImages(model: string, params: ImageParams): MeteredRequest {
  const { prompt = "", n = 1 } = params;
  const isByPicture = model.startsWith("dall-e");
  const pictureTokens = pictureTokensOf(model);
  const { tokens, texts } = seenInput({ prompt }, 0);
  return {
    ...PLAIN,
    model,
    inputTokens: isByPicture ? 0 : tokens + picturesIn(params) * pictureTokens,
    fixedOutputTokens: isByPicture ? 0 : n * pictureTokens,
    hidesOutput: true,
    units: isByPicture ? { image_generation: n } : {},
    texts,
  };
}

async function attempt<T>(call: GovernedCall, send: () => PromiseLike<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    call.fail();
    throw error;
  }
}

/** The model with another method in place of one. All else is the model's own, also what it keeps private. */
function withMethod<M extends object>(
  model: M,
  name: string,
  method: (params: never) => Promise<unknown>,
): M {
  return new Proxy(model, {
    get(target, property) {
      if (property === name) return method;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
