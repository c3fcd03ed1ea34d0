import { inflateRawSync } from "node:zlib";

import { asyncProperty, assert, integer, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";

import { type SamlAttempt, serviceMetadata, startSaml } from "../../../src/web/saml/request.ts";
import { finishSaml } from "../../../src/web/saml/response.ts";
import { STRANGER } from "./keys.ts";
import { CONNECTION, encoded, issue, NOW, SERVICE, type AssertionContent } from "./provider.ts";
import { ASSERTION_WRAPPINGS, RESPONSE_WRAPPINGS } from "./wrapping.ts";

const ATTEMPT: SamlAttempt = { idpEntityId: CONNECTION.idpEntityId, requestId: "_request1" };
const ADA = { subject: "ada@example.com", email: "ada@example.com", name: "Ada", role: null };

function finish(xml: string, nowMs = NOW) {
  return finishSaml({
    connection: CONNECTION,
    service: SERVICE,
    attempt: ATTEMPT,
    sent: encoded(xml),
    nowMs,
  });
}

describe("a person identified by the provider", () => {
  test.each(["assertion", "response", "both"] as const)(
    "is signed in when the %s is signed",
    async (sign) => {
      expect(await finish(await issue(ATTEMPT.requestId, { sign }))).toEqual({ ok: true, identity: ADA });
    },
  );

  test("is signed in while the provider rotates its certificate", async () => {
    const both = { ...CONNECTION, idpCertificate: `${STRANGER.certificate}\n${CONNECTION.idpCertificate}` };
    const sent = encoded(await issue(ATTEMPT.requestId));
    expect(
      await finishSaml({ connection: both, service: SERVICE, attempt: ATTEMPT, sent, nowMs: NOW }),
    ).toMatchObject({ ok: true });
  });

  test("is sent to the provider with a request id that the response must name", async () => {
    const { url, attempt } = await startSaml(CONNECTION, SERVICE, "relay");
    const asked = new URL(url).searchParams;
    const request = inflateRawSync(Buffer.from(asked.get("SAMLRequest") ?? "", "base64")).toString();
    expect(url.startsWith(`${CONNECTION.idpSsoUrl}?`)).toBe(true);
    expect(asked.get("RelayState")).toBe("relay");
    expect(request).toContain(`ID="${attempt.requestId}"`);
    expect(request).toContain(`AssertionConsumerServiceURL="${SERVICE.acsUrl}"`);
    expect(request).toContain(SERVICE.entityId);
  });

  test("signs in with a provider that uses this metadata", () => {
    const metadata = serviceMetadata({ ...SERVICE, entityId: `https://a.example/?a=1&b="<2>"` });
    expect(metadata).toContain(`entityID="https://a.example/?a=1&amp;b=&quot;&lt;2>&quot;"`);
    expect(metadata).toContain(`Location="${SERVICE.acsUrl}"`);
  });
});

describe("no session is created", () => {
  test.each(Object.entries(RESPONSE_WRAPPINGS))("by signature wrapping %s", async (_, wrap) => {
    const wrapped = wrap(await issue(ATTEMPT.requestId, { sign: "response" }));
    expect(wrapped).toContain("owner@example.com");
    expect(await finish(wrapped)).toMatchObject({ ok: false });
  });

  test.each(Object.entries(ASSERTION_WRAPPINGS))("by signature wrapping %s", async (_, wrap) => {
    const wrapped = wrap(await issue(ATTEMPT.requestId));
    expect(wrapped).toContain("owner@example.com");
    expect(await finish(wrapped)).toMatchObject({ ok: false });
  });

  const lies: Record<string, Partial<AssertionContent>> = {
    "that is unsigned": { sign: "nothing" },
    "signed by another key under the same name": { with: STRANGER },
    "signed with SHA-1": { algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1" },
    "for another audience": { audience: "https://other.example/metadata" },
    "for no audience": { audience: "" },
    "for another recipient": { recipient: "https://other.example/acs" },
    "for another destination": { destination: "https://other.example/acs" },
    "to another request": { responseTo: "_request2", subjectTo: "_request2" },
    "to another request, with only the outside changed": { subjectTo: "_request2" },
    "to no request": { responseTo: "", subjectTo: "" },
    "of another issuer": { issuer: "https://evil.example" },
    "that has expired": { endsMs: NOW - 600_000, startsMs: NOW - 900_000 },
    "that is not yet valid": { startsMs: NOW + 600_000, endsMs: NOW + 900_000 },
    "without a name": { nameId: "" },
    "that says the person was refused": { status: "urn:oasis:names:tc:SAML:2.0:status:Responder" },
    "that is not for its bearer": { method: "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches" },
    "with a comment in the name": { nameId: "owner@example.com<!---->.evil.example" },
    "with an element in the name": { nameId: "owner@example.com<saml:x/>.evil.example" },
    "with a character data section in the name": { nameId: "<![CDATA[owner@example.com]]>" },
  };

  test.each(Object.entries(lies))("by a response %s", async (_, lie) => {
    const xml = await issue(ATTEMPT.requestId, lie);
    expect(await finish(xml)).toMatchObject({ ok: false });
  });

  const changes: Record<string, (xml: string) => string> = {
    "a document type": (xml) => `<!DOCTYPE x [<!ENTITY e "owner@example.com">]>${xml}`,
    "an external entity": (xml) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}`,
    "a comment put into the signed name": (xml) => xml.replace("ada@", "ada<!---->@"),
    "an instruction put into the signed name": (xml) => xml.replace("ada@", "ada<?x?>@"),
    "a second copy of the signed assertion": (xml) =>
      xml.replace(/<saml:Assertion .*<\/saml:Assertion>/s, (assertion) => assertion + assertion),
    "its name changed after signing": (xml) => xml.replace("ada@", "owner@"),
    "its signature removed": (xml) => xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, ""),
    "no destination": (xml) => xml.replace(/ Destination="[^"]*"/, ""),
    "another root": (xml) => xml.replaceAll("samlp:Response", "samlp:LogoutResponse"),
    "something before its root": (xml) => `<x/>${xml}`,
    "an encrypted assertion beside the signed one": (xml) =>
      xml.replace("</samlp:Response>", "<saml:EncryptedAssertion/></samlp:Response>"),
  };

  test.each(Object.entries(changes))("by a response with %s", async (_, change) => {
    expect(await finish(change(await issue(ATTEMPT.requestId)))).toMatchObject({ ok: false });
  });

  test("by a response that is not base64, is empty or is longer than any assertion", async () => {
    for (const sent of ["", "<x>", "%%%", "A".repeat(300_000)]) {
      expect(
        await finishSaml({ connection: CONNECTION, service: SERVICE, attempt: ATTEMPT, sent, nowMs: NOW }),
      ).toEqual({
        ok: false,
        failure: "response_malformed",
      });
    }
  });

  test("after the org's connection changed", async () => {
    const sent = encoded(await issue(ATTEMPT.requestId));
    const changed = { ...CONNECTION, idpEntityId: "https://new.example" };
    expect(
      await finishSaml({ connection: changed, service: SERVICE, attempt: ATTEMPT, sent, nowMs: NOW }),
    ).toMatchObject({
      failure: "connection_changed",
    });
  });
});

test("a changed signed response identifies the same person or no one", async () => {
  const genuine = await issue(ATTEMPT.requestId);
  const noise = stringMatching(/^[a-z<>/"'=! -]{0,6}$/);
  await assert(
    asyncProperty(
      integer({ min: 0, max: genuine.length }),
      integer({ min: 0, max: 8 }),
      noise,
      async (at, drop, put) => {
        const result = await finish(genuine.slice(0, at) + put + genuine.slice(at + drop));
        expect([undefined, ADA]).toContainEqual(result.ok ? result.identity : undefined);
      },
    ),
    { numRuns: 300 },
  );
});
