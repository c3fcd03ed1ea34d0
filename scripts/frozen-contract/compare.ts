import type { Fact, Facts } from "./facts.ts";

/**
 * What no longer holds of a frozen contract. Additions pass, unless callers must now send them. There are no
 * exceptions: what would break /v1 is deprecated and ships under a new version.
 */
export function brokenPromises(frozen: Facts, current: Facts): string[] {
  const always = demandedBodies(frozen);
  const broken = Object.entries(frozen).flatMap(([name, fact]) => {
    const now = current[name];
    if (!now) return [`${name}: gone`];
    const before = asNumber(name, fact, now);
    return changes(always.has(name) ? { ...before, required: true } : before, now).map(
      (change) => `${name}: ${change}`,
    );
  });
  const demanded = Object.entries(current)
    .filter(([name, fact]) => fact.side === "in" && fact.required && !frozen[name] && isServed(frozen, name))
    .map(([name]) => `${name}: callers are now required to send it`);
  return [...broken, ...demanded];
}

/** A parameter is text on the wire: one that was described as digits is the same parameter when it is described as a number. */
function asNumber(name: string, fact: Fact, now: Fact): Fact {
  const { pattern = "", ...rest } = fact;
  const isNumber = now.types?.every((type) => type === "integer" || type === "number") === true;
  if (!name.includes(" query ") || !pattern.startsWith("^\\d") || !isNumber) return fact;
  const { types = [], least, most } = now;
  return { ...rest, types, ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}

/** The bodies with a required field. They could never be omitted, whether the document said so or not. */
function demandedBodies(facts: Facts): ReadonlySet<string> {
  const required = Object.entries(facts).filter(([, fact]) => fact.required === true);
  return new Set(required.flatMap(([name]) => /^.* body [\w+-]+\/[\w+-]+(?=\.)/.exec(name) ?? []));
}

/** Only an addition to something published can break its callers. */
function isServed(frozen: Facts, name: string): boolean {
  const [method = "", path = ""] = name.split(" ");
  if (frozen[`${method} ${path}`] === undefined) return false;
  const parent = name.slice(0, Math.max(name.lastIndexOf("."), name.lastIndexOf("[]")));
  return !name.includes(" body ") || !parent.includes(" body ") || frozen[parent] !== undefined;
}

function changes(frozen: Fact, now: Fact): string[] {
  if (frozen.side === "is") return [];
  return [...typeChanges(frozen, now), ...textChanges(frozen, now), ...boundChanges(frozen, now)];
}

function typeChanges(frozen: Fact, now: Fact): string[] {
  const before = frozen.types ?? [];
  const after = now.types ?? [];
  const found: string[] = [];
  if (frozen.side === "in") {
    const lost = before.filter((type) => !accepts(after, type));
    if (lost.length > 0) found.push(`no longer accepts ${lost.join(", ")}`);
    if (now.required && !frozen.required) found.push("was optional, is now required");
    if (now.closed && !frozen.closed) found.push("accepted any value, now accepts only some");
  } else {
    const added = after.filter((type) => !accepts(before, type));
    if (added.length > 0) found.push(`can now be ${added.join(", ")}`);
    if (frozen.required && !now.required) found.push("was always present, can now be absent");
  }
  return found;
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || types.includes("any") || (type === "integer" && types.includes("number"));
}

function textChanges(frozen: Fact, now: Fact): string[] {
  const found: string[] = [];
  for (const part of ["format", "pattern", "default"] as const) {
    if (frozen[part] === now[part]) continue;
    // Input with no rule any more is still accepted, and so is output that gained one.
    const loosened = frozen.side === "in" && part !== "default" && now[part] === undefined;
    const added = frozen[part] === undefined && (frozen.side === "out" || part === "default");
    if (!loosened && !added) found.push(`${part} was ${frozen[part] ?? "none"}, is ${now[part] ?? "none"}`);
  }
  return found;
}

function boundChanges(frozen: Fact, now: Fact): string[] {
  const found: string[] = [];
  if ((now.least ?? -Infinity) > (frozen.least ?? -Infinity))
    found.push(`least was ${frozen.least}, is ${now.least}`);
  if ((now.most ?? Infinity) < (frozen.most ?? Infinity))
    found.push(`most was ${frozen.most}, is ${now.most}`);
  return found;
}
