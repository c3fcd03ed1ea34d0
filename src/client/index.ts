export type { Answer, CallOptions, ListOptions, Page, Pages, WithResponse } from "./answer.ts";
export { Refused, type RefusalCode, SluiceError, Unreachable } from "./errors.ts";
export { Sluice, type SluiceOptions } from "./sluice.ts";
export * as webhooks from "./webhooks.ts";
export type * from "./generated/types.ts";
