import { IdentityProvider, ServiceProvider, setSchemaValidator } from "samlify";

import type { SamlConnection, ServiceAddresses } from "../../../src/web/saml/connection.ts";
import { HONEST } from "./keys.ts";

// Schema validation is the receiver's job, and samlify only issues here.
setSchemaValidator({ validate: async () => "not checked" });

export const SERVICE: ServiceAddresses = {
  entityId: "https://sluice.example/saml/org_1/metadata",
  acsUrl: "https://sluice.example/saml/org_1/acs",
};

export const CONNECTION: SamlConnection = {
  idpEntityId: "https://idp.example",
  idpSsoUrl: "https://idp.example/sso",
  idpCertificate: HONEST.certificate,
};

export const NOW = Date.UTC(2026, 10, 15, 12);

/** The content of an assertion. Each test changes one thing. */
export interface AssertionContent {
  readonly issuer: string;
  readonly nameId: string;
  readonly audience: string;
  readonly recipient: string;
  readonly destination: string;
  readonly responseTo: string;
  readonly subjectTo: string;
  readonly startsMs: number;
  readonly endsMs: number;
  readonly status: string;
  readonly method: string;
  readonly sign: "assertion" | "response" | "both" | "nothing";
  readonly with: { readonly key: string; readonly certificate: string };
  readonly algorithm: string;
  /** More statements of the assertion, as XML. */
  readonly statements: string;
}

const TRUE: Omit<AssertionContent, "responseTo" | "subjectTo"> = {
  issuer: CONNECTION.idpEntityId,
  nameId: "ada@example.com",
  audience: SERVICE.entityId,
  recipient: SERVICE.acsUrl,
  destination: SERVICE.acsUrl,
  startsMs: NOW - 60_000,
  endsMs: NOW + 300_000,
  status: "urn:oasis:names:tc:SAML:2.0:status:Success",
  method: "urn:oasis:names:tc:SAML:2.0:cm:bearer",
  sign: "assertion",
  with: HONEST,
  algorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  statements: "",
};

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function responseXml(told: AssertionContent): string {
  const times = `NotBefore="${iso(told.startsMs)}" NotOnOrAfter="${iso(told.endsMs)}"`;
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response" Version="2.0" IssueInstant="${iso(told.startsMs)}" Destination="${told.destination}" InResponseTo="${told.responseTo}"><saml:Issuer>${told.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${told.status}"/></samlp:Status><saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion" Version="2.0" IssueInstant="${iso(told.startsMs)}"><saml:Issuer>${told.issuer}</saml:Issuer><saml:Subject><saml:NameID>${told.nameId}</saml:NameID><saml:SubjectConfirmation Method="${told.method}"><saml:SubjectConfirmationData NotOnOrAfter="${iso(told.endsMs)}" Recipient="${told.recipient}" InResponseTo="${told.subjectTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions ${times}><saml:AudienceRestriction><saml:Audience>${told.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AttributeStatement><saml:Attribute Name="displayName"><saml:AttributeValue>Ada</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>${told.statements}</saml:Assertion></samlp:Response>`;
}

/** A response in XML, as issued by samlify's identity provider. */
export async function issue(requestId: string, lies: Partial<AssertionContent> = {}): Promise<string> {
  const told: AssertionContent = { ...TRUE, responseTo: requestId, subjectTo: requestId, ...lies };
  const binding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-";
  const provider = IdentityProvider({
    entityID: told.issuer,
    privateKey: told.with.key,
    signingCert: told.with.certificate,
    requestSignatureAlgorithm: told.algorithm,
    singleSignOnService: [{ Binding: `${binding}Redirect`, Location: CONNECTION.idpSsoUrl }],
    singleLogoutService: [{ Binding: `${binding}Redirect`, Location: CONNECTION.idpSsoUrl }],
    loginResponseTemplate: { context: "", attributes: [] },
  });
  const service = ServiceProvider({
    entityID: SERVICE.entityId,
    wantAssertionsSigned: told.sign === "assertion" || told.sign === "both",
    wantMessageSigned: told.sign === "response" || told.sign === "both",
    assertionConsumerService: [{ Binding: `${binding}POST`, Location: SERVICE.acsUrl }],
  });
  if (told.sign === "nothing") return responseXml(told);
  const { context } = await provider.createLoginResponse(
    service,
    { extract: { request: { id: told.responseTo } } },
    "post",
    { email: told.nameId },
    () => ({
      id: "_response",
      context: responseXml(told),
    }),
  );
  return Buffer.from(context, "base64").toString();
}

export function encoded(xml: string): string {
  return Buffer.from(xml).toString("base64");
}
