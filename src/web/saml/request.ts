import { randomBytes } from "node:crypto";

import { samlLibrary, type SamlConnection, type ServiceAddresses } from "./connection.ts";

/** State between sending the browser to the provider and its return. It can be used once. */
export interface SamlAttempt {
  readonly idpEntityId: string;
  readonly requestId: string;
}

export interface SamlStart {
  readonly url: string;
  readonly attempt: SamlAttempt;
}

export async function startSaml(
  connection: SamlConnection,
  service: ServiceAddresses,
  relayState: string,
): Promise<SamlStart> {
  const requestId = `_${randomBytes(20).toString("hex")}`;
  const library = samlLibrary(connection, service, { generateUniqueId: () => requestId });
  const url = await library.getAuthorizeUrlAsync(relayState, undefined, {});
  return { url, attempt: { idpEntityId: connection.idpEntityId, requestId } };
}

/** Returns what an administrator gives to the provider. It has no certificate, because requests are not signed. */
export function serviceMetadata(service: ServiceAddresses): string {
  const entity = escaped(service.entityId);
  return `<?xml version="1.0" encoding="UTF-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entity}">
  <SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</NameIDFormat>
    <AssertionConsumerService index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escaped(service.acsUrl)}"/>
  </SPSSODescriptor>
</EntityDescriptor>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
