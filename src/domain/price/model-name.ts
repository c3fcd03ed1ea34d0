/** A model as a call names it. Without a provider, its name alone must say which one is meant. */
export interface ModelName {
  readonly model: string;
  readonly provider?: string | undefined;
}
