import { parseImfFixdate, parseIsoDate } from "../../src/contract/http-date.ts";
import { type Changelog, lineOf } from "./changelog.ts";

/**
 * The release ledger lists each platform version with what it deprecates and removes. Its order is the order of
 * deployment: a setting deprecated in release N may go in N+2 at the earliest.
 */

interface LedgerEntry {
  readonly surface: string;
  readonly class: string;
  readonly sunset?: string;
}

export interface Release {
  readonly version: string;
  readonly date: string;
  /** Naming a surface again extends its sunset. */
  readonly deprecates: readonly LedgerEntry[];
  readonly removes: readonly string[];
  /** The digest of the frozen contract as of this release. */
  readonly contract?: string;
}

/** What the code declares as deprecated. */
export interface Published {
  readonly surface: string;
  readonly since: string;
  readonly sunset?: string;
}

interface Announced extends LedgerEntry {
  readonly release: number;
  readonly date: string;
  readonly removed: boolean;
}

const RELEASES_OF_NOTICE = 2;

/** Everything that is out of sequence. There are no exceptions. */
export function ledgerFindings(releases: readonly Release[], changelog: Changelog): string[] {
  const found: string[] = [];
  const announced = new Map<string, Announced>();
  for (const [index, release] of releases.entries()) {
    found.push(...orderFindings(releases[index - 1], release));
    for (const entry of release.deprecates) {
      found.push(...deprecationFindings(announced.get(entry.surface), entry, release, changelog));
      announced.set(entry.surface, {
        ...entry,
        release: announced.get(entry.surface)?.release ?? index,
        date: announced.get(entry.surface)?.date ?? release.date,
        removed: false,
      });
    }
    for (const surface of release.removes) {
      const known = announced.get(surface);
      found.push(...removalFindings(surface, known, index, release));
      if (!lineOf(changelog, release.version, "Removed", surface)) {
        found.push(`${surface}: the changelog of ${release.version} has no line for its removal`);
      }
      if (known) announced.set(surface, { ...known, removed: true });
    }
  }
  return found;
}

/**
 * Whether the code publishes what the ledger announced, with the same dates, and still has the settings that it must
 * have.
 */
export function publishedFindings(
  releases: readonly Release[],
  published: readonly Published[],
  settings: { readonly frozen: readonly string[]; readonly current: readonly string[] },
): string[] {
  const active = new Map<string, { since: string; sunset: string | undefined }>();
  const removed = new Set(releases.flatMap((release) => release.removes));
  for (const { date, deprecates } of releases) {
    for (const { surface, sunset } of deprecates) {
      active.set(surface, { since: active.get(surface)?.since ?? date, sunset });
    }
  }
  for (const surface of removed) active.delete(surface);
  const found = published.flatMap(({ surface, since, sunset }) => {
    const known = active.get(surface);
    active.delete(surface);
    if (!known) return [`${surface}: deprecated in the code, but no release announced it`];
    if (known.since !== since) return [`${surface}: announced ${known.since}, but the code says ${since}`];
    if (known.sunset !== sunset)
      return [`${surface}: sunset ${known.sunset} announced, ${sunset} in the code`];
    return [];
  });
  const gone = settings.frozen.filter((name) => !settings.current.includes(name) && !removed.has(name));
  return [
    ...found,
    ...[...active.keys()].map(
      (surface) => `${surface}: announced as deprecated, but the code does not signal it`,
    ),
    ...gone.map((name) => `${name}: this setting is gone, but no release removed it`),
  ];
}

function orderFindings(before: Release | undefined, release: Release): string[] {
  const found: string[] = [];
  if (parseIsoDate(release.date) === undefined)
    found.push(`${release.version}: ${release.date} is not a date`);
  if (!before) return found;
  if (release.date < before.date) found.push(`${release.version}: dated before ${before.version}`);
  if (release.version.localeCompare(before.version, "en", { numeric: true }) <= 0) {
    found.push(`${release.version}: not a later version than ${before.version}`);
  }
  return found;
}

function deprecationFindings(
  known: Announced | undefined,
  entry: LedgerEntry,
  release: Release,
  changelog: Changelog,
): string[] {
  const { surface, sunset } = entry;
  const found: string[] = [];
  if (entry.class !== "config" && (sunset === undefined || parseImfFixdate(sunset) === undefined)) {
    return [`${surface}: needs a sunset as an HTTP-date`];
  }
  if (sunset !== undefined && Date.parse(sunset) < Date.parse(release.date)) {
    found.push(`${surface}: its sunset is before ${release.version}`);
  }
  if (
    known?.sunset !== undefined &&
    (sunset === undefined || Date.parse(sunset) < Date.parse(known.sunset))
  ) {
    found.push(`${surface}: its published sunset ${known.sunset} moved earlier, to ${sunset}`);
  }
  const line = lineOf(changelog, release.version, "Deprecated", surface);
  if (line === undefined) {
    found.push(`${surface}: the changelog of ${release.version} has no line for its deprecation`);
  } else if (sunset !== undefined && !line.includes(sunset)) {
    found.push(`${surface}: its changelog line does not name the sunset ${sunset}`);
  }
  return found;
}

function removalFindings(
  surface: string,
  known: Announced | undefined,
  index: number,
  release: Release,
): string[] {
  if (!known) return [`${surface}: removed in ${release.version} without being deprecated first`];
  if (known.removed) return [`${surface}: removed twice`];
  if (known.class === "api") return [`${surface}: nothing may be removed from /v1`];
  if (known.class === "config" && index - known.release < RELEASES_OF_NOTICE) {
    return [`${surface}: removed in ${release.version}, before two releases of notice`];
  }
  if (known.sunset !== undefined && Date.parse(release.date) <= Date.parse(known.sunset)) {
    return [`${surface}: removed in ${release.version}, before its sunset ${known.sunset}`];
  }
  return [];
}
