import { MOST_XML_BYTES, xmlExcess } from "../../domain/people/xml-bounds.ts";

/**
 * A response that is too large or not plain is refused before any library parses it. A response that passes has no
 * declaration, comment, instruction or character data section, so every `<` in it opens or closes an element, and the
 * tags found here are exactly those that a parser finds. It has one Response with one Assertion inside, unique ids, and
 * only the listed algorithms. This prevents signature wrapping.
 */

export interface Envelope {
  readonly xml: string;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  readonly status: string | null;
}

/** The largest response in base64, with room for its line breaks. */
const MOST_CHARACTERS = 96 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DECLARATION = /^\s*<\?xml\s[^?<>]*\?>/;
const TAG = /<(\/?)([^\s<>/]+)((?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^<"]*"|'[^<']*'))*)\s*(\/?)>/g;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const ALGORITHMS: ReadonlySet<string> = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmldsig-more#sha384",
  "http://www.w3.org/2001/04/xmlenc#sha512",
  "http://www.w3.org/2001/10/xml-exc-c14n#",
  "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
]);

interface Element {
  readonly name: string;
  readonly depth: number;
  readonly parent: string | null;
  readonly attributes: ReadonlyMap<string, string>;
}

export function readEnvelope(sent: string): Envelope | null {
  const xml = decode(sent)?.replace(DECLARATION, "") ?? null;
  if (xml === null || xml.includes("\u0000") || xmlExcess(xml) !== null) return null;
  const elements = readElements(xml);
  if (elements === null || !isPlain(elements)) return null;
  const root = elements[0]?.attributes;
  const status = elements.find(({ name, parent }) => name === "StatusCode" && parent === "Status");
  return {
    xml,
    destination: root?.get("Destination") ?? null,
    inResponseTo: root?.get("InResponseTo") ?? null,
    status: status?.attributes.get("Value") ?? null,
  };
}

function decode(sent: string): string | null {
  if (sent.length > MOST_CHARACTERS) return null;
  const base64 = sent.replaceAll(/\s+/g, "");
  if (!BASE64.test(base64)) return null;
  const bytes = Buffer.from(base64, "base64");
  return bytes.byteLength > MOST_XML_BYTES ? null : bytes.toString("utf8");
}

function readElements(xml: string): Element[] | null {
  const elements: Element[] = [];
  const open: string[] = [];
  let tags = 0;
  for (const [, closing, qualified = "", attributes = "", empty] of xml.matchAll(TAG)) {
    tags++;
    const name = qualified.slice(qualified.indexOf(":") + 1);
    if (closing === "/") {
      if (open.pop() !== qualified) return null;
      continue;
    }
    const parent = open.at(-1);
    const within = parent === undefined ? null : parent.slice(parent.indexOf(":") + 1);
    elements.push({ name, depth: open.length, parent: within, attributes: readAttributes(attributes) });
    if (empty !== "/") open.push(qualified);
  }
  const everyTagRead = tags === xml.split("<").length - 1;
  return everyTagRead && open.length === 0 ? elements : null;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(text.matchAll(ATTRIBUTE), ([, name = "", double, single]) => [name, double ?? single ?? ""]),
  );
}

function isPlain(elements: readonly Element[]): boolean {
  const named = (name: string) => elements.filter((element) => element.name === name);
  const [response] = elements;
  const [assertion] = named("Assertion");
  const ids = elements.flatMap(({ attributes }) =>
    Array.from(attributes).flatMap(([name, value]) => (/^(?:.*:)?id$/i.test(name) ? [value] : [])),
  );
  return (
    response?.name === "Response" &&
    elements.filter(({ depth }) => depth === 0).length === 1 &&
    named("Response").length === 1 &&
    named("Assertion").length === 1 &&
    assertion?.depth === 1 &&
    named("EncryptedAssertion").length === 0 &&
    new Set(ids).size === ids.length &&
    named("Signature").length >= 1 &&
    named("Signature").length <= 2 &&
    named("Signature").every(
      ({ depth, parent }) =>
        (depth === 1 && parent === "Response") || (depth === 2 && parent === "Assertion"),
    ) &&
    named("Object").length === 0 &&
    elements.every(({ attributes }) =>
      ALGORITHMS.has(attributes.get("Algorithm") ?? "http://www.w3.org/2001/04/xmlenc#sha256"),
    )
  );
}
