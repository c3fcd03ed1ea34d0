import { imfFixdate, isoDate, parseImfFixdate, parseIsoDate } from "./http-date.ts";
import type { DEPRECABLE_METHODS } from "./lists.ts";
import type { DeprecationEntry } from "./resources/deprecations.ts";

/**
 * Deprecations, and how callers learn about them. The contract's deprecations are in this list; an operator can flag
 * more at run time. The listing, headers, OpenAPI, counter and changelog check are computed from it.
 */

type DeprecableMethod = (typeof DEPRECABLE_METHODS)[number];

/** A deprecated route. `SVC_DOCS_URL` documents it unless it names its own documentation. */
export interface Deprecation {
  readonly method: DeprecableMethod;
  readonly route: string;
  readonly since: string;
  readonly sunset: string;
  readonly replacement?: string;
  readonly documentation?: string;
  /** Tells callers what to do instead. */
  readonly migration?: string;
}

/** Something deprecated that is not a route of this API. */
export interface DeprecatedSurface {
  readonly surface: string;
  readonly class: "webhook v1 event shapes" | "config";
  readonly since: string;
  readonly sunset?: string;
  readonly migration: string;
}

const ANNOUNCED = "2026-07-22";
const WEBHOOK_V1_SUNSET = "Fri, 31 Dec 2027 23:59:59 GMT";

export const DEPRECATED_ROUTES: readonly Deprecation[] = [
  {
    method: "GET",
    route: "/v1/admin/orgs/{org_id}/webhook-secret",
    since: ANNOUNCED,
    sunset: WEBHOOK_V1_SUNSET,
    replacement: "/v1/orgs/{id}/webhooks/{sub_id}/signing",
    migration:
      "Create a secret per subscription with the signing rotate route, verify the combined t=...,v1=... header, and stop using the org-level secret.",
  },
  {
    method: "POST",
    route: "/v1/admin/orgs/{org_id}/webhook-secret/rotate",
    since: ANNOUNCED,
    sunset: WEBHOOK_V1_SUNSET,
    replacement: "/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate",
    migration:
      "Rotate the secret of each subscription. Once every subscription has its own, rotating the org-level secret changes nothing.",
  },
  {
    method: "GET",
    route: "/v1/forecast",
    since: ANNOUNCED,
    sunset: "Wed, 31 Dec 2036 23:59:59 GMT",
    replacement: "/v1/capacity/forecasts",
    migration: "Plan by scenario. No removal is planned; the route stays fully served.",
  },
];

export const V1_DELIVERIES = {
  surface: "X-Svc-Signature: v1=...",
  class: "webhook v1 event shapes",
  since: ANNOUNCED,
  sunset: WEBHOOK_V1_SUNSET,
  migration:
    "Give each subscription a secret of its own: its deliveries are then signed t=...,v1=... and carry no deprecation headers.",
} as const satisfies DeprecatedSurface;

export const DEPRECATED_SURFACES: readonly DeprecatedSurface[] = [
  V1_DELIVERIES,
  {
    surface: "SVC_READ_LIMIT_PER_MINUTE",
    class: "config",
    since: ANNOUNCED,
    migration:
      "Set read_rpm per org with PUT /v1/admin/orgs/{org_id}/rate-limits. The variable stays the fallback for orgs without a row, for two releases at least.",
  },
];

export function deprecationEntry(deprecation: Deprecation, docsUrl: string): DeprecationEntry {
  const { migration: _forReaders, ...entry } = deprecation;
  return { ...entry, documentation: entry.documentation ?? docsUrl };
}

/** Whether an address is the documentation's own, or below it. */
export function isUnderDocs(address: string, docsUrl: string): boolean {
  const { origin, pathname } = new URL(docsUrl);
  const docs = `${origin}${pathname.replace(/\/+$/, "")}`;
  const { href } = new URL(address);
  return href.startsWith(docs) && /^([/?#]|$)/.test(href.slice(docs.length));
}

export function operationName(operation: { readonly method: string; readonly route: string }): string {
  return `${operation.method} ${operation.route}`;
}

/** The three headers of a deprecated route. A v1 webhook delivery has them too, without a successor route. */
export function deprecationHeaders(
  deprecation: Pick<Deprecation, "since" | "sunset" | "replacement" | "documentation">,
  docsUrl: string,
): Record<"deprecation" | "sunset" | "link", string> {
  const links = [`<${deprecation.documentation ?? docsUrl}>; rel="deprecation"`];
  if (deprecation.replacement) links.push(`<${deprecation.replacement}>; rel="successor-version"`);
  return {
    deprecation: `@${midnight(deprecation.since) / 1000}`,
    sunset: deprecation.sunset,
    link: links.join(", "),
  };
}

/**
 * Returns why a deprecation cannot be changed to this, or undefined. A published sunset can move later, never earlier.
 */
export function flagConflict(known: Deprecation | undefined, next: Deprecation): string | undefined {
  if (sunsetMs(next) < midnight(next.since)) return "The sunset is before the deprecation date.";
  if (!known) return undefined;
  if (known.since !== next.since)
    return `This route has been deprecated since ${known.since}. That date cannot be changed.`;
  if (sunsetMs(next) < sunsetMs(known))
    return `The published sunset is ${known.sunset}. It cannot move earlier.`;
  return undefined;
}

/** The minimum notice for a `/v1` route. */
const NOTICE_YEARS = 1;

/**
 * Returns why a sunset gives too little notice, or undefined. Notice starts on the day of the announcement: today or
 * the day the deprecation takes effect, whichever is later. For a route that is already announced, that day is known.
 */
export function shortNotice(
  known: Deprecation | undefined,
  next: Deprecation,
  announcedMs: number,
): string | undefined {
  const since = midnight(next.since);
  const announced = new Date(known ? since : Math.max(since, midnight(isoDate(announcedMs))));
  announced.setUTCFullYear(announced.getUTCFullYear() + NOTICE_YEARS);
  if (sunsetMs(next) >= announced.getTime()) return undefined;
  return `must not be before ${imfFixdate(announced.getTime())}: a route is served for at least 12 months after its deprecation is announced`;
}

/** If an extension omits the successor, the existing one is kept. */
export function extendDeprecation(known: Deprecation | undefined, next: Deprecation): Deprecation {
  return { ...known, ...next };
}

/** The contract's deprecations merged with those that operators flagged. Of two sunsets, the later one applies. */
export function activeDeprecations(
  contract: readonly Deprecation[],
  flagged: readonly Deprecation[],
): Deprecation[] {
  const active = new Map(contract.map((deprecation) => [operationName(deprecation), deprecation]));
  for (const deprecation of flagged) {
    const name = operationName(deprecation);
    const known = active.get(name);
    active.set(name, known ? withLaterSunset(known, deprecation) : deprecation);
  }
  return [...active.values()];
}

function withLaterSunset(known: Deprecation, flagged: Deprecation): Deprecation {
  const sunset = imfFixdate(Math.max(sunsetMs(known), sunsetMs(flagged)));
  return { ...known, ...flagged, since: known.since, sunset };
}

function sunsetMs(deprecation: Pick<Deprecation, "sunset">): number {
  return dateOf(parseImfFixdate(deprecation.sunset), deprecation.sunset);
}

function midnight(since: string): number {
  return dateOf(parseIsoDate(since), since);
}

function dateOf(atMs: number | undefined, text: string): number {
  if (atMs === undefined) throw new RangeError(`not a date: ${text}`);
  return atMs;
}
