/**
 * Text that SQLite and other programs can store unchanged. JSON can spell half of a surrogate pair (`"\ud800"`), which
 * UTF-8 cannot encode: it would be read back as a different character than was hashed and returned.
 */

const BACKSLASH = 92;
const LETTER_U = 117;

/** Returns whether a JSON text spells half of a surrogate pair. Most texts have no such escape and cost one search. */
export function spellsLoneSurrogate(json: string): boolean {
  let at = json.indexOf("\\u");
  if (at < 0) return false;
  // From the start, because the first `\u` may be the end of an escaped backslash.
  at = json.indexOf("\\");
  while (at >= 0) {
    const unit = escapedUnit(json, at);
    if (isLow(unit)) return true;
    if (isHigh(unit)) {
      if (!isLow(escapedUnit(json, at + 6))) return true;
      at += 6;
    }
    at = json.indexOf("\\", at + (unit < 0 ? 2 : 6));
  }
  return false;
}

/** The code unit of an escape. -1 if there is none of this kind. */
function escapedUnit(json: string, at: number): number {
  if (json.charCodeAt(at) !== BACKSLASH || json.charCodeAt(at + 1) !== LETTER_U) return -1;
  const unit = Number.parseInt(json.slice(at + 2, at + 6), 16);
  return Number.isNaN(unit) ? -1 : unit;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

type Path = readonly (string | number)[];

/** The path in a parsed JSON value to text that is not well-formed, whether a value or the name of a field. */
export function illFormedPaths(value: unknown, most: number, path: Path = []): Path[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  const found: Path[] = [];
  for (const [name, part] of Object.entries(value)) {
    const below = [...path, Array.isArray(value) ? Number(name) : name.toWellFormed()];
    if (!name.isWellFormed()) found.push(below);
    else found.push(...illFormedPaths(part, most - found.length, below));
    if (found.length >= most) break;
  }
  return found;
}
