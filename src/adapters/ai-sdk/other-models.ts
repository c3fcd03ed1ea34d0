import { PLAIN } from "../../providers/apis/request-members.ts";
import { seenInput } from "../../providers/body/input-bound.ts";
import type { FactsOfModel } from "../../providers/model-facts.ts";
import type { MeteredRequest } from "../../providers/provider-api.ts";
import { totalsOf } from "../../providers/usage/counts.ts";
import type { GovernedCall } from "../governed-call.ts";
import { beginCall, type CalledModel, type SluiceModelOptions } from "./asked.ts";
import { embeddingUsage, readingOf } from "./told-usage.ts";

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
}

/** As for pictures over HTTP: more than the largest has. */
const PICTURE_TOKENS = 8192;

/** The same model, each of whose calls is asked for before it is made and settled by its usage, or at what was reserved. */
export function governImages<M extends ImageModel>(model: M, options: SluiceModelOptions<ImageParams>): M {
  return withMethod(model, "doGenerate", async (params: ImageParams) => {
    const call = await beginCall(options, { model, params }, (name) => readImages(name, params));
    const result = await attempt(call, () => model.doGenerate(params));
    const { inputTokens, outputTokens } = result.usage ?? {};
    const totals = totalsOf(inputTokens, outputTokens);
    call.finish(readingOf(totals === null ? null : { ...totals, image_output_tokens: totals.output_tokens }));
    return result;
  });
}

function readImages(model: string, { prompt = "", n = 1, files = [] }: ImageParams): MeteredRequest {
  const isByPicture = model.startsWith("dall-e");
  const { tokens, texts } = seenInput({ prompt }, 0);
  return {
    ...PLAIN,
    model,
    inputTokens: isByPicture ? 0 : tokens + files.length * PICTURE_TOKENS,
    fixedOutputTokens: isByPicture ? 0 : n * PICTURE_TOKENS,
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
