/** The assertion, parsed by the library from the bytes that the signature covers. Nothing else is ever read. */
interface XmlNode {
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/** Providers' clocks drift. Most services allow two minutes. */
const SKEW_MS = 120_000;

interface ExpectedAssertion {
  readonly idpEntityId: string;
  readonly audience: string;
  readonly recipient: string;
  readonly requestId: string;
  readonly nowMs: number;
}

/**
 * Returns whether a verified assertion is for this service, this sign-in and the current time. A missing value is
 * refused like a wrong one.
 */
export function assertionHolds(verified: unknown, expected: ExpectedAssertion): boolean {
  const assertion = only(verified, "Assertion");
  const subject = only(assertion, "Subject");
  const conditions = only(assertion, "Conditions");
  if (assertion?.$?.["Version"] !== "2.0" || text(only(assertion, "Issuer")) !== expected.idpEntityId)
    return false;
  if (text(only(subject, "NameID")) === "") return false;
  if (conditions === null || !isWithin(conditions, expected.nowMs)) return false;
  const audiences = all(conditions, "AudienceRestriction");
  const addressed = audiences.every((restriction) =>
    all(restriction, "Audience").some((audience) => text(audience) === expected.audience),
  );
  if (audiences.length === 0 || !addressed) return false;
  return all(subject, "SubjectConfirmation").some((confirmation) => confirms(confirmation, expected));
}

function confirms(confirmation: XmlNode, expected: ExpectedAssertion): boolean {
  const data = only(confirmation, "SubjectConfirmationData");
  return (
    confirmation.$?.["Method"] === BEARER &&
    data !== null &&
    data.$?.["Recipient"] === expected.recipient &&
    data.$["InResponseTo"] === expected.requestId &&
    isWithin(data, expected.nowMs)
  );
}

/** An expiry is required. Without one, an assertion could be replayed forever. */
function isWithin(node: XmlNode, nowMs: number): boolean {
  const start = node.$?.["NotBefore"];
  const endMs = Date.parse(node.$?.["NotOnOrAfter"] ?? "");
  const startMs = start === undefined ? nowMs : Date.parse(start);
  return startMs <= nowMs + SKEW_MS && nowMs - SKEW_MS < endMs;
}

/** The text of an element that contains only text, and "" for any other. */
function text(node: XmlNode | null): string {
  return node !== null && Object.keys(node).every((key) => key === "_" || key === "$")
    ? (node._ ?? "").trim()
    : "";
}

export function readSubject(verified: unknown): string {
  return text(only(only(only(verified, "Assertion"), "Subject"), "NameID"));
}

/** The value of the first of these attributes that has exactly one value. */
export function readAttribute(verified: unknown, names: readonly string[]): string | null {
  const attributes = all(only(verified, "Assertion"), "AttributeStatement").flatMap((statement) =>
    all(statement, "Attribute"),
  );
  for (const name of names) {
    const values = attributes
      .filter(({ $ }) => $?.["Name"] === name)
      .flatMap((attribute) => all(attribute, "AttributeValue"));
    const value = values.length === 1 ? text(values[0] ?? null) : "";
    if (value !== "") return value.slice(0, 256);
  }
  return null;
}

function all(node: unknown, name: string): readonly XmlNode[] {
  const children = (node as XmlNode | null)?.[name];
  return Array.isArray(children) ? children.map(asNode) : [];
}

function only(node: unknown, name: string): XmlNode | null {
  const child = (node as XmlNode | null)?.[name];
  if (Array.isArray(child)) return child.length === 1 ? asNode(child[0]) : null;
  return typeof child === "object" && child !== null ? (child as XmlNode) : null;
}

function asNode(child: unknown): XmlNode {
  return typeof child === "object" && child !== null ? (child as XmlNode) : {};
}
