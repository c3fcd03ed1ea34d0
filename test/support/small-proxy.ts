import { createProxy, type Proxy, type ProxyOptions } from "../../src/proxy/index.ts";
import { SMALL_KEY, SmallService } from "./small-service.ts";

interface SentRequest {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Headers;
}

interface SmallCall {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

export const OPERATORS_KEY = "sk-of-the-operator-0123456789";
const ANSWER = { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }, choices: [] };

/** A proxy before a service and providers in memory, and what the providers were sent. */
export class SmallProxy {
  readonly service = new SmallService();
  readonly sent: SentRequest[] = [];
  answer: (url: string, init: RequestInit) => Response | Promise<Response> = () => Response.json(ANSWER);
  readonly proxy: Proxy;
  readonly #background: Promise<unknown>[] = [];

  constructor(options: Partial<ProxyOptions> = {}) {
    this.proxy = createProxy({
      binding: this.service,
      orgs: "*",
      providers: { openai: { key: OPERATORS_KEY } },
      retries: 0,
      fetch: async (url, init) => {
        const headers = new Headers(init.headers);
        this.sent.push({ url, method: init.method, headers });
        return this.answer(url, init);
      },
      ...options,
    });
  }

  /** A call with the small key, unless the headers say another. */
  call(path: string, { method, headers = {}, body }: SmallCall = {}): Promise<Response> {
    const sent = new Headers({ authorization: `Bearer ${SMALL_KEY}`, ...headers });
    if (body !== undefined) sent.set("content-type", "application/json");
    return this.receive(
      new Request(`http://proxy.test${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: sent,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }

  receive(request: Request): Promise<Response> {
    return this.proxy.fetch(request, { waitUntil: (work) => void this.#background.push(work) });
  }

  /** Resolves when all runs were reported. */
  async settled(): Promise<void> {
    for (let done = -1; done < this.#background.length;) {
      done = this.#background.length;
      await Promise.all(this.#background);
    }
  }
}
