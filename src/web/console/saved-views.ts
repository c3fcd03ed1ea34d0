import { isSecure, readCookie } from "../../edge/identity/session-cookie.ts";
import { returnPath } from "../return-path.ts";

/**
 * Addresses of pages that a reader has named: which days, filters and order they show. A cookie keeps them, so they belong to
 * the browser and work without scripts. Whatever the cookie says, a name is text and an address is a page of this console.
 */
export interface SavedView {
  readonly orgId: string;
  readonly name: string;
  /** A path of this console, with its query. */
  readonly at: string;
}

const COOKIE = "svc_views";
const SECONDS = 365 * 86_400;
export const MOST_VIEWS = 20;
export const MOST_NAME = 40;
/** Browsers drop a cookie of more than 4,096 bytes. */
const MOST_COOKIE = 3600;

/** Visible characters of any language. */
const NAME = /^[^\p{C}]+$/u;

export function viewName(typed: string): string | null {
  const name = typed.trim();
  return name.length <= MOST_NAME && NAME.test(name) ? name : null;
}

/** An address of this console as it was sent, or null. */
export function viewAddress(sent: string): string | null {
  return /^\/console(?:[/?]|$)/.test(sent) && returnPath(sent) === sent ? sent : null;
}

export const pageOfView = ({ at }: Pick<SavedView, "at">): string => at.split("?")[0] ?? at;

/** Returns the settings in an address, without those that belong to one visit. Null: what the page shows anyway. */
export function addressToSave(path: string, query: URLSearchParams): string | null {
  const kept = new URLSearchParams(query);
  for (const passing of ["notice", "cursor"]) kept.delete(passing);
  return kept.size === 0 ? null : viewAddress(`${path}?${kept}`);
}

type StoredView = readonly [orgId: string, name: string, at: string];

function viewIn(stored: unknown): readonly SavedView[] {
  if (!Array.isArray(stored) || !stored.every((part) => typeof part === "string")) return [];
  const [orgId = "", name = "", at = ""] = stored as readonly string[];
  return viewName(name) === name && viewAddress(at) !== null ? [{ orgId, name, at }] : [];
}

/** The views of a browser, of all its orgs. */
export function savedViews(request: Request): readonly SavedView[] {
  const value = readCookie(request, COOKIE) ?? "";
  try {
    const stored: unknown = JSON.parse(Buffer.from(value, "base64url").toString());
    return Array.isArray(stored) ? stored.slice(0, MOST_VIEWS).flatMap(viewIn) : [];
  } catch {
    return [];
  }
}

/** The value of the cookie. Null: there are too many of them. */
export function viewsValue(views: readonly SavedView[]): string | null {
  const stored = views.map(({ orgId, name, at }): StoredView => [orgId, name, at]);
  const value = Buffer.from(JSON.stringify(stored)).toString("base64url");
  return views.length <= MOST_VIEWS && value.length <= MOST_COOKIE ? value : null;
}

export function viewsCookie(request: Request, value: string): string {
  const secure = isSecure(request) ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=/console; HttpOnly; SameSite=Lax; Max-Age=${SECONDS}${secure}`;
}
