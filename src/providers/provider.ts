import type { JsonObject } from "./json.ts";
import { factsOf, type FactsOfModel, type ModelFacts } from "./model-facts.ts";
import type { ProviderApi } from "./provider-api.ts";
import type { WireRefusal } from "./wire-refusal.ts";

/** How a provider takes its key. */
export type Auth = (key: string) => readonly [name: string, value: string];

export const bearer: Auth = (key) => ["authorization", `Bearer ${key}`];
export const azureKeyHeader: Auth = (key) => ["api-key", key];
export const googleKeyHeader: Auth = (key) => ["x-goog-api-key", key];
export const apiKeyHeader: Auth = (key) => ["x-api-key", key];

/** The credentials that requests to Amazon are signed with. */
export interface AwsCredentials {
  readonly service: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const AWS_KEY = /^([A-Z0-9]{16,128}):([\w/+=]{16,})(?::([\w/+=]+))?$/;

/** A key that is an id and its secret, and the token of a session where there is one: `AKIA…:secret:token`. */
export function awsCredentials(service: string): (key: string) => AwsCredentials | null {
  return (key) => {
    const [, accessKeyId, secretAccessKey, sessionToken] = AWS_KEY.exec(key) ?? [];
    if (accessKeyId === undefined || secretAccessKey === undefined) return null;
    return { service, accessKeyId, secretAccessKey, sessionToken };
  };
}

export interface ProviderTerms {
  /** The provider's name in the price book. */
  readonly prices: string;
  /** Where it is served. Paths are added to it. Null if each account has an address of its own. */
  readonly url: string | null;
  /** The end of `url` that its own SDK writes before every path. It is taken off, so that both ways lead to the same call. */
  readonly sdkPrefix?: string;
  /** Names of its hosts, where there are many. */
  readonly hosts?: RegExp;
  readonly auth: Auth;
  /** Signs requests, where it takes signatures, too. Null if the key is sent as it is. */
  readonly signsWith?: (key: string) => AwsCredentials | null;
  /** The statuses by which it says that it does not accept a key. Default: 401. */
  readonly keyRefusals?: readonly number[];
  /** The parameter of a query in which it takes a key, too. It is not passed on. */
  readonly keyParameter?: string;
  /** Default: true. One that runs on a machine of your own may need none. */
  readonly needsKey?: boolean;
  /** Paths that are called with POST and metered. `{model}` stands for one segment, the model. */
  readonly serves: Readonly<Record<string, ProviderApi>>;
  /** Calls that cost nothing and show nothing of the provider's account, such as `GET /v1/models`. */
  readonly free: readonly string[];
  /**
   * Returns whether a model in its list belongs to the account that asked, where it has a mark of its own for them. `unmarked`: the
   * list has them, and nothing tells them from the others.
   */
  readonly isOwnModel?: ((model: JsonObject) => boolean) | "unmarked";
  readonly models: readonly ModelFacts[];
  /** A refusal of a path that no API serves. */
  readonly errorBody: (refusal: WireRefusal) => object;
}

/** The API that a call uses, by its method and path on a provider. */
export type Route =
  | {
      readonly kind: "metered";
      readonly api: ProviderApi;
      readonly pathModel: string | null;
      /** The same call of another model. */
      readonly pathFor: (model: string) => string;
    }
  | {
      readonly kind: "free";
      /** True if it asks which models there are. */
      readonly asksForModels: boolean;
    }
  /** Returns credentials or administers the account: refused whatever is set. */
  | { readonly kind: "never" }
  | { readonly kind: "unknown" };

export interface Provider extends ProviderTerms {
  readonly name: string;
  route(method: string, path: string): Route;
  facts(model: string): FactsOfModel;
  /** Where it serves a call of an API that another provider serves at a path. Null if it does not. */
  pathLike(api: ProviderApi, path: string, model: string): string | null;
}

/** Paths that return credentials of the account, or administer it, are never passed on. */
const NEVER =
  /^\/(?:v\d+(?:beta)?\/)?(?:realtime\/(?:client_secrets|sessions|transcription_sessions)|chatkit\/sessions|organizations?|admin_api_keys|api_keys|dashboard|usage|billing)(?:\/|$)/i;

export function isNeverServed(path: string): boolean {
  return NEVER.test(path);
}

export function provider(name: string, terms: ProviderTerms): Provider {
  const served = Object.entries(terms.serves).map(([template, api]) => ({
    template,
    pattern: patternOf(template),
    api,
  }));
  const free = terms.free.map((call) => {
    const [method = "", template = ""] = call.split(" ");
    const asksForModels = method === "GET" && ASKS_FOR_MODELS.test(template);
    return { method, pattern: patternOf(template), asksForModels };
  });
  return {
    ...terms,
    name,
    route(method, path) {
      if (isNeverServed(path)) return { kind: "never" };
      const unpaid = free.find((call) => call.method === method && call.pattern.test(path));
      if (unpaid !== undefined) return { kind: "free", asksForModels: unpaid.asksForModels };
      for (const { template, pattern, api } of method === "POST" ? served : []) {
        const match = pattern.exec(path);
        if (match === null) continue;
        const pathFor = (model: string) => pathIn(template, model);
        return { kind: "metered", api, pathModel: decoded(match.groups?.["model"]), pathFor };
      }
      return { kind: "unknown" };
    },
    facts: (model) => factsOf(terms.models, model),
    pathLike(api, path, model) {
      const alike = served.filter(
        (one) => one.api.name === api.name && lastOf(one.template) === lastOf(path),
      );
      // A path that names the model may need more than the model, such as a version in the query.
      const at = alike.find(({ template }) => !template.includes(MODEL)) ?? alike[0];
      return at === undefined ? null : pathIn(at.template, model);
    },
  };
}

const MODEL = "{model}";
const ASKS_FOR_MODELS = /\/models(?:\/\{model\})?$/;

function pathIn(template: string, model: string): string {
  return template.replace(MODEL, encodeURIComponent(model));
}

/** The last segment of a path, by which operations of one API differ. */
function lastOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the pattern of a template such as `/v1/models/{model}`. */
function patternOf(template: string): RegExp {
  const escaped = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replace("{model}", "(?<model>[^/]+)")}$`);
}

function decoded(segment: string | undefined): string | null {
  return segment === undefined ? null : decodeURIComponent(segment);
}
