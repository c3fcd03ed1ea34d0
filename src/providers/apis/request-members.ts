import { Unmetered } from "../unmetered.ts";
import { type JsonObject, objectOf } from "../json.ts";
import type { Bounds, MeteredRequest, ProviderApi } from "../provider-api.ts";
import { countOf } from "../usage/counts.ts";
import { refuseOtherSpellings } from "../body/strict-json.ts";

/** More answers than any provider writes to one request. */
const MOST_ANSWERS = 1024;

/** The model that the body or the path names. */
export function modelIn(body: JsonObject, pathModel: string | null): string {
  const { model } = body;
  if (typeof model === "string" && model !== "") {
    if (pathModel === null || pathModel === model) return model;
    throw new Unmetered(400, 'The path names another model than the body. Leave "model" out of the body.');
  }
  if (model === undefined && pathModel !== null) return pathModel;
  throw new Unmetered(400, 'Send a body in JSON with a "model".');
}

/**
 * The highest of the bounds that a body sets: whichever of them the provider goes by, it is no more. Null if it sets
 * none.
 */
export function readHighestBound(body: JsonObject, names: readonly string[]): number | null {
  const bounds = names
    .map((name) => wholeNumberIn(body, name, Number.MAX_SAFE_INTEGER))
    .filter((bound) => bound !== null);
  return bounds.length === 0 ? null : Math.max(...bounds);
}

/** How many answers a body asks for, by members such as `n`. */
export function answersIn(body: JsonObject, names: readonly string[]): number {
  return Math.max(1, ...names.map((name) => wholeNumberIn(body, name, MOST_ANSWERS) ?? 1));
}

/** Null if the body does not say. */
export function wholeNumberIn(body: JsonObject, name: string, most: number): number | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  const count = countOf(value);
  if (count !== null && count > 0 && count <= most) return count;
  const range =
    most === Number.MAX_SAFE_INTEGER ? "a positive whole number" : `a whole number from 1 to ${most}`;
  throw new Unmetered(400, `"${name}" must be ${range}.`);
}

/** Anything but true or false could be read in two ways. */
export function flagIn(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value === "boolean") return value;
  throw new Unmetered(400, `"${name}" must be true or false.`);
}

/**
 * Published prices of hosts have no rate for a cache of an hour, which costs more than one of minutes, and not all of them tell one
 * from the other.
 */
export function refuseLongCache(hasLongCache: boolean): void {
  if (hasLongCache)
    throw new Unmetered(403, 'A cache "ttl" other than "5m" has no price here. Leave "ttl" out.');
}

const USUAL_TIERS = new Set<unknown>([
  undefined,
  null,
  "auto",
  "default",
  "standard",
  "standard_only",
  "on_demand",
]);
/**
 * The same API, whose requests name the standard tier where callers name none: a setting of the account could choose
 * another, at its price.
 */
export function namingTier(api: ProviderApi, tier: string): ProviderApi {
  return {
    ...api,
    withBounds(body, bounds) {
      const bounded = api.withBounds(body, bounds);
      return USUAL_TIERS.has(body["service_tier"]) ? { ...bounded, service_tier: tier } : bounded;
    },
  };
}

/** The same API at a host that passes requests on to others, each at its price: to none that is dearer than the reservation. */
export function withMaxPrice(api: ProviderApi): ProviderApi {
  return {
    ...api,
    withBounds(body, bounds) {
      const bounded = api.withBounds(body, bounds);
      const { maxPrice } = bounds;
      return maxPrice === null || maxPrice === undefined
        ? bounded
        : { ...bounded, provider: { max_price: maxPrice } };
    },
  };
}

const TIER = /^[a-z][a-z0-9_-]{0,39}$/;

/** The price variant of the service tier that a body asks for. Null means the standard one. */
export function tierIn(value: unknown): string | null {
  if (USUAL_TIERS.has(value)) return null;
  // A price of its own, and no tier: a host that ignores it would bill twice that.
  if (value === "batch") throw new Unmetered(400, '"batch" is not a tier of a single call.');
  if (typeof value === "string" && TIER.test(value)) return value;
  throw new Unmetered(400, '"service_tier" is not a tier.');
}

/** The price variant of the service tier that an answer names. Null if it names none. */
export function tierOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  if (USUAL_TIERS.has(value)) return "standard";
  return TIER.test(value) ? value : null;
}

/** The tools of a body. A member that is spelled otherwise than the API spells it is refused. */
export function toolsIn({ tools }: JsonObject, members: ReadonlySet<string>): readonly unknown[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw new Unmetered(400, '"tools" must be a list.');
  for (const tool of tools) refuseOtherSpellings(Object.keys(objectOf(tool)), members);
  return tools;
}

/** The first member of some that a body sets. Undefined if it sets none. */
export function memberIn(body: JsonObject, names: readonly string[]): string | undefined {
  return names.find((name) => body[name] !== undefined && body[name] !== null);
}

/** Refuses members by which a request would cost what its other members do not show. `a.b` is the member b of a. */
export function refuseMembers(body: JsonObject, names: readonly string[]): void {
  const name = names.find((path) => {
    const [outer = "", inner] = path.split(".");
    return memberIn(inner === undefined ? body : objectOf(body[outer]), [inner ?? outer]) !== undefined;
  });
  if (name !== undefined) throw new Unmetered(403, `"${name}" is not metered by this proxy. Leave it out.`);
}

/** As often as an answer with hosted tools reads its context, where nothing else is set. */
export const USUAL_HOSTED_TOOL_PASSES = 4;

/** How many calls of hosted tools a request may make that sets no bound. Each leads to one more pass over the context. */
export function usualToolCalls({
  hostedToolPasses = USUAL_HOSTED_TOOL_PASSES,
}: Pick<Bounds, "hostedToolPasses">): number {
  return Math.max(1, hostedToolPasses - 1);
}

/** A request that is counted in input tokens alone, to which APIs add what is their own. */
export const PLAIN = {
  isStream: false,
  unseenInput: null,
  passes: 1,
  hasCostlyInput: false,
  hasCostlyOutput: false,
  outputBound: null,
  fixedOutputTokens: 0,
  hidesOutput: false,
  units: {},
  startedUnits: {},
  inputPerSearch: 0,
  billedAs: {},
  variant: null,
  isBackground: false,
  showsUsageEvent: true,
  texts: [],
} as const satisfies Partial<MeteredRequest>;

/** Tools are objects whose one member is their kind. Kinds that the provider runs bill what the call does not say. */
export function refuseHostedKinds(tools: unknown, metered: ReadonlySet<string>, message: string): void {
  if (tools === undefined || tools === null) return;
  const names = (Array.isArray(tools) ? tools : [tools]).flatMap((tool) => Object.keys(objectOf(tool)));
  if (!names.every((name) => metered.has(name))) throw new Unmetered(403, message);
}
