import { callGoverned, type SluiceModelOptions } from "./governed-model.ts";
import type { CalledModel } from "./paused-call.ts";

interface EmbeddingModel extends CalledModel {
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of the SDK has parameters of its own
  doEmbed(params: any): PromiseLike<unknown>;
}

interface ImageModel extends CalledModel {
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of the SDK has parameters of its own
  doGenerate(params: any): PromiseLike<{ readonly images: unknown }>;
}

interface EmbedParams {
  readonly values: readonly unknown[];
}

interface ImageParams {
  readonly prompt?: string | undefined;
  readonly n?: number;
}

/** The same model, each of whose calls is asked for before it is made and settled by its usage. */
export function governEmbeddings<M extends EmbeddingModel>(
  model: M,
  options: SluiceModelOptions<EmbedParams>,
): M {
  return withMethod(model, "doEmbed", (params: EmbedParams) =>
    callGoverned(model, { method: "doEmbed", params }, options),
  );
}

/** The same model, each of whose calls is asked for before it is made and settled by its usage, or at what was reserved. */
export function governImages<M extends ImageModel>(model: M, options: SluiceModelOptions<ImageParams>): M {
  return withMethod(model, "doGenerate", (params: ImageParams) =>
    callGoverned(model, { method: "doGenerate", params }, options),
  );
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
