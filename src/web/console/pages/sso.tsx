import type { Setting, SettingsPage } from "../page/settings.tsx";
import type { SsoConnection } from "../../../contract/resources/sso.ts";
import type { Field } from "../view/field.ts";
import { bodyOf } from "../view/field.ts";
import { Facts } from "../view/parts.tsx";

const ROLE: Field = {
  name: "default_role",
  label: "Default role",
  kind: "choice",
  options: [
    ["viewer", "Viewer"],
    ["developer", "Developer"],
    ["admin", "Admin"],
  ],
};

const OIDC: readonly Field[] = [
  { name: "issuer", label: "Issuer", kind: "text", required: true, placeholder: "https://login.example.com" },
  { name: "client_id", label: "Client id", kind: "text", required: true, half: true },
  {
    name: "client_secret",
    label: "Client secret",
    kind: "secret",
    required: true,
    half: true,
    hint: "Stored encrypted and never shown.",
  },
  ROLE,
];

const SAML: readonly Field[] = [
  { name: "idp_entity_id", label: "Provider's entity id", kind: "text", required: true },
  {
    name: "idp_sso_url",
    label: "Provider's sign-on URL",
    kind: "text",
    required: true,
    placeholder: "https://login.example.com/saml",
  },
  {
    name: "idp_certificate",
    label: "Provider's certificate",
    kind: "area",
    required: true,
    hint: "PEM. Add the next certificate before the provider switches to it.",
  },
  ROLE,
];

function connection(
  kind: SsoConnection["kind"],
  title: string,
  fields: readonly Field[],
  factsOf: (found: SsoConnection) => readonly (readonly [string, string])[],
): Setting<SsoConnection> {
  return {
    name: kind,
    title,
    api: "sso",
    method: "PUT",
    role: "owner",
    save: `Use ${title}`,
    noteOf: (found) =>
      found?.kind === kind ? "In use" : found ? "Saving replaces the current connection" : "Not set up",
    above: (found) =>
      found?.kind === kind && (
        <Facts
          of={[
            ["People sign in at", <a href={found.sign_in_url}>{found.sign_in_url}</a>],
            ...factsOf(found).map(([name, value]) => [name, <code>{value}</code>] as const),
          ]}
        />
      ),
    fieldsOf: () => fields,
    bodyOf: (form) => ({ kind, ...bodyOf(form, fields) }),
  };
}

export const sso: SettingsPage = {
  path: "/console/sso",
  title: "Single sign-on",
  about:
    "How people sign in to this console: through your own identity provider, with OpenID Connect or SAML.",
  settings: [
    connection("oidc", "OpenID Connect", OIDC, (found) =>
      found.kind === "oidc" ? [["Allow at the provider", found.redirect_uri]] : [],
    ),
    connection("saml", "SAML 2.0", SAML, (found) =>
      found.kind === "saml"
        ? [
            ["Our metadata", found.metadata_url],
            ["Assertions go to", found.acs_url],
          ]
        : [],
    ),
  ],
};
