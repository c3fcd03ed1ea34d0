export type Json = Record<string, unknown>;
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface Params {
  readonly body?: Json;
  readonly headers?: Record<string, string>;
  readonly maxOutputTokens?: number;
  readonly abortSignal?: AbortSignal;
}

/** A model as the packages of the SDK build them. Its body is what they make of a prompt and of their options. */
export class SdkModel {
  readonly provider: string;
  readonly modelId: string;
  readonly config: { readonly url: string; readonly body: Json; fetch?: Fetch | undefined };

  constructor(provider: string, modelId: string, config: SdkModel["config"]) {
    this.provider = provider;
    this.modelId = modelId;
    this.config = config;
  }

  async post({ body, headers = {}, abortSignal }: Params): Promise<Response> {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ ...this.config.body, ...body }),
      ...(abortSignal === undefined ? {} : { signal: abortSignal }),
    };
    const answer = await (this.config.fetch ?? fetch)(this.config.url, init);
    if (answer.ok) return answer;
    throw Object.assign(new Error("refused by the provider"), { statusCode: answer.status });
  }

  async doGenerate(params: Params) {
    return { raw: await (await this.post(params)).json() };
  }

  async doStream(params: Params) {
    const { body } = await this.post(params);
    return { stream: body as ReadableStream<Uint8Array> };
  }
}
