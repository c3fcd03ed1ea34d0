import { parseAddress } from "../network/address.ts";
import { isPublicAddress } from "../network/public-address.ts";

const MAX_URL_LENGTH = 2048;

/** Names that refer to a local machine or network, whatever they resolve to. */
const PRIVATE_SUFFIXES = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
];

/** Ports above 1023 where something other than a web server listens (the fetch standard's list, and databases). */
const OTHER_PORTS = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432,
  5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9092, 9200, 9300, 10_080, 10_250,
  11_211, 27_017,
]);

export interface UrlRules {
  /** Allows plain http and every address and port, for local development. */
  readonly allowPrivate: boolean;
  /** Host names of this service: a delivery to them would come back as a request. */
  readonly ownHosts: readonly string[];
}

/** Returns why a URL cannot be used for deliveries. Null if it can. The reason is shown to the subscriber. */
export function webhookUrlProblem(text: string, rules: UrlRules): string | null {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters`;
  // The parser would silently repair these, so the shown and the called URL would differ.
  if (/[^\x21-\x7e]|\\/.test(text))
    return "must contain only ASCII characters, without spaces or backslashes";
  if (!URL.canParse(text)) return "must be an absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && !(rules.allowPrivate && url.protocol === "http:")) return "must use https";
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  if (rules.allowPrivate) return null;
  return portProblem(url.port) ?? hostProblem(url.hostname, rules.ownHosts);
}

function portProblem(port: string): string | null {
  const number = port === "" ? 443 : Number(port);
  const web = number === 443 || (number > 1023 && !OTHER_PORTS.has(number));
  return web ? null : `must not use port ${port}`;
}

function hostProblem(hostname: string, ownHosts: readonly string[]): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (parseAddress(bare) !== null) {
    return isPublicAddress(bare) ? null : "must not point to a private address";
  }
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  if (labels.length < 2 || labels.includes("")) return "must name a public host";
  if (PRIVATE_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`))) return "must name a public host";
  return ownHosts.includes(name) ? "must not point to this service" : null;
}

/** The name to resolve before a delivery is sent. Null if the host is an address, which was checked with the URL. */
export function nameToResolve(text: string): string | null {
  const { hostname } = new URL(text);
  return parseAddress(hostname.replace(/^\[|\]$/g, "")) === null ? hostname.replace(/\.$/, "") : null;
}

/** RFC 6761: a name under `.invalid` has no address, and is not to be looked up. */
export function neverResolves(name: string): boolean {
  return name.toLowerCase().endsWith(".invalid");
}

/** Returns whether a name that resolves to these addresses may be called. One private address is enough to refuse. */
export function resolvesToPublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every((text) => isPublicAddress(text));
}
