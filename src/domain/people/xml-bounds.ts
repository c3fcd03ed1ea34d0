/**
 * Bounds on XML from untrusted senders. Libraries take quadratic time or worse, so the text is first measured in one
 * pass that allocates nothing.
 */

export const MOST_XML_BYTES = 65_536;
/** A response has about 30 elements of its own, and one for each attribute value: room for a person in 300 groups. */
const MOST_ELEMENTS = 400;
const MOST_DEPTH = 16;
const MOST_ATTRIBUTES = 1_200;
const MOST_ATTRIBUTES_OF_ONE = 16;
/** An id or a URI has about a hundred characters. A signature or a certificate is text, not an attribute. */
const MOST_VALUE_CHARACTERS = 4_096;

export type XmlExcess =
  | "markup" // a document type, comment, instruction or character data section
  | "entity" // a reference to anything but a character
  | "unclosed"
  | "elements"
  | "depth"
  | "attributes"
  | "value";

const REFERENCE = /(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});/y;

/** Returns what exceeds a bound or is not allowed. Null if the text may be parsed. */
export function xmlExcess(xml: string): XmlExcess | null {
  const count = { elements: 0, attributes: 0, depth: 0 };
  if (hasForeignReference(xml)) return "entity";
  for (let open = xml.indexOf("<"); open !== -1; open = xml.indexOf("<", open)) {
    const kind = xml[open + 1];
    if (kind === "!" || kind === "?") return "markup";
    const tag = readTag(xml, open + 1);
    if (typeof tag === "string") return tag;
    open = tag.end;
    if (kind === "/") {
      count.depth--;
      continue;
    }
    count.elements++;
    count.attributes += tag.attributes;
    if (!tag.empty) count.depth++;
    if (count.elements > MOST_ELEMENTS) return "elements";
    if (count.depth > MOST_DEPTH) return "depth";
    if (tag.attributes > MOST_ATTRIBUTES_OF_ONE || count.attributes > MOST_ATTRIBUTES) return "attributes";
  }
  return null;
}

interface Tag {
  readonly end: number;
  readonly attributes: number;
  readonly empty: boolean;
}

/** From after `<` to after `>`. A `>` inside quotes does not end a tag. Each pair of quotes is one attribute. */
function readTag(xml: string, from: number): Tag | XmlExcess {
  let attributes = 0;
  for (let at = from; at < xml.length; at++) {
    const c = xml[at];
    if (c === ">") return { end: at + 1, attributes, empty: xml[at - 1] === "/" };
    if (c === "<") return "unclosed";
    if (c !== '"' && c !== "'") continue;
    const close = xml.indexOf(c, at + 1);
    if (close === -1) return "unclosed";
    if (close - at > MOST_VALUE_CHARACTERS) return "value";
    attributes++;
    at = close;
  }
  return "unclosed";
}

function hasForeignReference(xml: string): boolean {
  for (let at = xml.indexOf("&"); at !== -1; at = xml.indexOf("&", at + 1)) {
    REFERENCE.lastIndex = at + 1;
    if (!REFERENCE.test(xml)) return true;
  }
  return false;
}
