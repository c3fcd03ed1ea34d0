/** A heading of a guide, and the text below it. */
export interface Section {
  /** The title of the guide. */
  readonly guide: string;
  readonly heading: string;
  readonly href: string;
  readonly text: string;
}

export interface FoundSection extends Pick<Section, "guide" | "heading" | "href"> {
  /** The words around the first of those that were sought. */
  readonly excerpt: string;
}

/** The page of a search has this mark where its results belong. */
export const FOUND_MARK = "<!-- found -->";

const MOST_FOUND = 30;
const BEFORE = 60;
const LENGTH = 220;

/** Sections that have every word that is sought, at the beginning of a word of theirs. Those that have it in a heading come first. */
export function searchSections(sections: readonly Section[], query: string): readonly FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return sections
    .map((section) => ({ section, rank: rankOf(section, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, MOST_FOUND)
    .map(({ section: { guide, heading, href, text } }) => ({
      guide,
      heading,
      href,
      excerpt: excerptOf(text, words),
    }));
}

/** Zero: a word is missing. */
function rankOf({ guide, heading, text }: Section, words: readonly string[]): number {
  const places = [
    [heading.toLowerCase(), 9],
    [guide.toLowerCase(), 3],
    [text.toLowerCase(), 1],
  ] as const;
  let rank = 0;
  for (const word of words) {
    const found = places.reduce((sum, [place, weight]) => (hasWord(place, word) ? sum + weight : sum), 0);
    if (found === 0) return 0;
    rank += found;
  }
  return rank;
}

function hasWord(text: string, word: string): boolean {
  return positionOf(text, word) !== -1;
}

function positionOf(text: string, word: string): number {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/\w/.test(text.charAt(at - 1))) return at;
  }
  return -1;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => positionOf(lower, word)).filter((at) => at !== -1));
  const start = Number.isFinite(first) ? Math.max(0, first - BEFORE) : 0;
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const end = from + LENGTH >= text.length ? text.length : text.lastIndexOf(" ", from + LENGTH);
  return `${from > 0 ? "… " : ""}${text.slice(from, end)}${end < text.length ? " …" : ""}`;
}
