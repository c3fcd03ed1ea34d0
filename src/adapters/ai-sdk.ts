export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";
export type { SluiceModelOptions } from "./ai-sdk/governed-model.ts";
export {
  type SluiceMiddleware,
  sluiceMiddleware,
  type SluiceMiddlewareOptions,
} from "./ai-sdk/language-model.ts";
export { governEmbeddings, governImages } from "./ai-sdk/other-models.ts";
