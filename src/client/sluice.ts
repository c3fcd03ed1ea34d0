import { answer, type CallOptions, type Page, pages } from "./answer.ts";
import { cached } from "../domain/cache/cached.ts";
import { fromEnvironment } from "./environment.ts";
import { SluiceError } from "./errors.ts";
import { OPERATIONS } from "./generated/operations.ts";
import type { Operations } from "./generated/types.ts";
import { type PreparedRequest, send, type Settings } from "./send.ts";

export interface SluiceOptions {
  /** An API key. Default: the environment's `SLUICE_KEY`. Operations that anyone may call need none. */
  readonly key?: string | undefined;
  /** Where Sluice is served. Default: the environment's `SLUICE_URL`, or `http://127.0.0.1:8787`. */
  readonly url?: string | undefined;
  /** The org to act on. Default: the key's own. */
  readonly org?: string | undefined;
  /** Default: the runtime's own. A service binding's `fetch` works too. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How often a call is sent again where that is safe. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** How long one attempt may take. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** A call that would have to wait for longer than this before its next attempt fails at once. Default: 20,000. */
  readonly longestWaitMs?: number | undefined;
}

/** Every operation of the API, by resource. */
export interface Sluice extends Operations {
  /** A client that differs from this one: `sluice.with({ org })`. */
  with(options: SluiceOptions): Sluice;
}

const OWN_ORG = /^svc_(?:live|test)_([0-9A-HJKMNP-TV-Z]{26})/;

type Group = Readonly<Record<string, ReturnType<typeof methodOf>>>;

class Client {
  readonly #options: SluiceOptions;
  readonly #settings: Settings;
  readonly #org: string | undefined;
  readonly #groups = new Map<string, Group>();

  /** Made when they are first used: together they take 40 KB, and most clients use a few. */
  static {
    for (const [name, lines] of Object.entries(OPERATIONS)) {
      Object.defineProperty(Client.prototype, name, {
        enumerable: true,
        get(this: Client) {
          return cached(this.#groups, name, () => groupOf(lines, this.#settings, this.#org));
        },
      });
    }
  }

  constructor(options: SluiceOptions = {}) {
    this.#options = options;
    const key = options.key ?? fromEnvironment("SLUICE_KEY");
    this.#settings = {
      key,
      url: addressOf(options.url ?? fromEnvironment("SLUICE_URL") ?? "http://127.0.0.1:8787"),
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
      maxRetries: options.maxRetries ?? 2,
      timeoutMs: options.timeoutMs ?? 30_000,
      longestWaitMs: options.longestWaitMs ?? 20_000,
    };
    const own = OWN_ORG.exec(key ?? "")?.[1];
    this.#org = options.org ?? (own === undefined ? undefined : `org_${own}`);
  }

  with(options: SluiceOptions): Client {
    return new Client({ ...this.#options, ...options });
  }
}

/** A client of one Sluice: `new Sluice({ key }).budgets.list()`. */
export const Sluice = Client as unknown as new (options?: SluiceOptions) => Sluice;

function groupOf(
  lines: Readonly<Record<string, string>>,
  settings: Settings,
  org: string | undefined,
): Group {
  const members = Object.entries(lines).map(([name, line]) => [name, methodOf(line, settings, org)] as const);
  return Object.fromEntries(members);
}

function addressOf(url: string): string {
  if (!/^https?:\/\/[^/?#]/.test(url)) {
    throw new SluiceError(`url must be an address such as https://sluice.example.com, not "${url}"`);
  }
  return url.replace(/\/+$/, "");
}

/** The parts of a call, in the order of its arguments: parameters of the path, the body or the query, the options. */
function methodOf(line: string, settings: Settings, ownOrg: string | undefined) {
  const [method = "", template = "", flags = ""] = line.split(" ");
  const has = (flag: string) => flags.includes(flag);
  return (...given: unknown[]) => {
    const rest = [...given];
    const inPath = (name: string) => name === "id" && template.startsWith("/v1/orgs/");
    const params = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
      inPath(name) ? null : rest.shift(),
    );
    const input = has("b") || has("q") ? rest.shift() : undefined;
    const options = (rest.shift() ?? {}) as CallOptions;
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = params.shift() ?? (inPath(name) ? (options.org ?? ownOrg) : undefined);
      return encodeURIComponent(textOf(value, inPath(name) ? "org" : name));
    });
    const request = toRequest({ method, path, has }, input, options);
    const sendPage = <T>(cursor?: string) =>
      send<T>(settings, { ...request, path: path + queryText(has("q") ? input : {}, cursor) }, options);
    return has("p") ? pages<unknown>(sendPage<Page<unknown>>) : answer<unknown>(sendPage);
  };
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  if (name === "org" && value === undefined)
    throw new SluiceError("org must be named: this key has no organization of its own");
  throw new SluiceError(`${name} must be a text that is not empty, not ${JSON.stringify(value)}`);
}

function toRequest(
  { method, path, has }: { method: string; path: string; has: (flag: string) => boolean },
  input: unknown,
  { idempotencyKey, ifMatch }: CallOptions,
): PreparedRequest {
  // The runtime drops an empty header, so the service would not see that a version was meant.
  if (ifMatch === "") throw new SluiceError("ifMatch must be an ETag or *, not an empty text");
  const headers: Record<string, string> = {};
  let body: string | undefined;
  if (has("b")) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(has("r") ? named(input) : has("a") ? withAsksNamed(input) : (input ?? {}));
  }
  if (has("i")) headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID();
  const isRepeatable = ["i", "r", "a", "t"].some(has) || /^(GET|PUT|DELETE)$/.test(method);
  return { method, path, body, headers, isRepeatable, isStream: isStream(has, input) };
}

/** JSON is read here, and anything else by the caller. */
function isStream(has: (flag: string) => boolean, input: unknown): boolean {
  const { format = "json" } = (input ?? {}) as { readonly format?: string };
  return has("s") || (has("f") && format !== "json");
}

/** An ask with a name of its own, so that asking again is the same ask. */
function named(ask: unknown): unknown {
  const { request_id: requestId = crypto.randomUUID() } = ask as { request_id?: string };
  return { ...(ask as object), request_id: requestId };
}

function withAsksNamed(body: unknown): unknown {
  const { asks } = body as { asks: readonly unknown[] };
  return { ...(body as object), asks: asks.map(named) };
}

function queryText(query: unknown, cursor: string | undefined): string {
  const all: Record<string, string | number | undefined> = { ...(query as object | undefined) };
  if (cursor !== undefined) all["cursor"] = cursor;
  const pairs = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
