/**
 * Regular expressions of the catalog as patterns of the book, which has `#` for a digit and `*` for any text. The
 * catalog uses few forms: literal text, digits, alternatives, and at the start what a name must not contain. Null for
 * any other form: a name is never matched by a rule that is only half understood.
 */
export function patternsOfRegex(regex: string): string[] | null {
  const excluded: string[] = [];
  let rest = regex.startsWith("^") ? regex.slice(1) : regex;
  const isAnchored = rest !== regex;
  for (const [form, exclude] of LOOKAHEADS) {
    const found = form.exec(rest);
    if (found === null) continue;
    const texts = exclude(found[1] ?? "");
    if (texts === null) return null;
    excluded.push(...texts);
    rest = rest.slice(found[0].length);
  }
  const isWhole = rest.endsWith("$") && !rest.endsWith("\\$");
  const expanded = new Expander(isWhole ? rest.slice(0, -1) : rest).all();
  if (expanded === null) return null;
  const texts = expanded.map((text) => (isAnchored ? "" : "*") + text + (isWhole ? "" : "*"));
  return [...(rest === "" ? [] : texts), ...excluded.map((text) => `!${text}`)];
}

/** Forms of a negative lookahead at the start, and the names that each excludes. */
const LOOKAHEADS: readonly (readonly [RegExp, (inner: string) => string[] | null])[] = [
  [/^\(\?!\[\^\/\]\+\/\)/, () => ["*/*"]],
  [
    /^\(\?!\.\*(.+?)\(\?:\$\|-\)\)/,
    (inner) => {
      const texts = new Expander(inner).all();
      return texts === null
        ? null
        : [...new Set(texts.map((text) => text.toLowerCase()))].flatMap(endsOrGoesOn);
    },
  ],
];

function endsOrGoesOn(text: string): string[] {
  return [`*${text}`, `*${text}-*`];
}

const MOST_TEXTS = 100;
const SPECIAL = /[.*+?^${}()|[\]\\]/;

/** All texts that an expression without repetition stands for. */
class Expander {
  readonly #regex: string;
  #at = 0;

  constructor(regex: string) {
    this.#regex = regex;
  }

  all(): string[] | null {
    const texts = this.#alternatives();
    return texts === null || this.#at < this.#regex.length ? null : texts;
  }

  #alternatives(): string[] | null {
    const all: string[] = [];
    for (;;) {
      const texts = this.#sequence();
      if (texts === null) return null;
      all.push(...texts);
      if (!this.#takes("|")) return all.length > MOST_TEXTS ? null : all;
    }
  }

  #sequence(): string[] | null {
    let texts = [""];
    while (this.#at < this.#regex.length && !"|)".includes(this.#regex[this.#at] ?? "")) {
      const next = this.#part();
      if (next === null) return null;
      const options = this.#takes("?") ? ["", ...next] : next;
      texts = texts.flatMap((text) => options.map((option) => text + option));
      if (texts.length > MOST_TEXTS) return null;
    }
    return texts;
  }

  #part(): string[] | null {
    if (this.#takes("(?:")) {
      const inner = this.#alternatives();
      return inner !== null && this.#takes(")") ? inner : null;
    }
    const digits = this.#matches(/^\\d(?:\{(\d{1,2})\})?/);
    if (digits !== null) return ["#".repeat(Number(digits[1] ?? "1"))];
    const escaped = this.#matches(/^\\([^\w])/);
    if (escaped !== null) return [escaped[1] ?? ""];
    const set = this.#matches(/^\[([\w]+)\]/);
    if (set !== null) return [...new Set((set[1] ?? "").toLowerCase().split(""))];
    const plain = this.#regex[this.#at] ?? "";
    if (SPECIAL.test(plain)) return null;
    this.#at += 1;
    return [plain];
  }

  #takes(text: string): boolean {
    if (!this.#regex.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #matches(form: RegExp): RegExpExecArray | null {
    const found = form.exec(this.#regex.slice(this.#at));
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}
