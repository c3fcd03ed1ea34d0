import type { ProviderKey } from "../../../contract/resources/provider-keys.ts";
import { DELETE, type Resource } from "../page/resource.ts";
import type { Field } from "../view/field.ts";
import { formatMoment } from "../view/format.ts";

const FIELDS: readonly Field[] = [
  {
    name: "secret",
    label: "Key of the provider",
    kind: "secret",
    required: true,
    hint: "Stored encrypted and never shown. Give it again with each change.",
  },
  {
    name: "base_url",
    label: "Address",
    kind: "text",
    placeholder: "https://eu.api.openai.com",
    hint: "Where calls with this key go. Leave empty for the provider's own.",
  },
  {
    name: "models",
    label: "Models",
    kind: "list",
    placeholder: "gpt-*, o3",
    hint: "The models that it serves. Leave empty for all.",
  },
];

const modelsOf = ({ models }: ProviderKey) => models?.join(", ") ?? "All";

export const providerKeys: Resource<ProviderKey> = {
  path: "/console/provider-keys",
  api: "provider-keys",
  title: "Keys of providers",
  about:
    "The governed proxy makes your calls with these in place of its own. A call chooses one with a suffix by the header x-sluice-provider-key.",
  one: "key of a provider",
  icon: "keys",
  empty: ["No keys of providers yet", "Calls through the proxy go with the proxy's own keys."],
  role: "admin",
  idOf: ({ provider }) => provider,
  nameOf: ({ provider }) => provider,
  sort: "provider",
  columns: [
    { title: "Ends in", cell: ({ last4 }) => <code>{last4}</code> },
    { title: "Models", cell: modelsOf },
    { title: "Set", kind: "moment", cell: ({ updated_at }) => formatMoment(updated_at) },
  ],
  factsOf: (row) => [
    ["Ends in", <code>{row.last4}</code>],
    ["Address", row.base_url ?? "The provider's own"],
    ["Headers", row.header_names.join(", ") || "None"],
    ["Models", modelsOf(row)],
    ["Set", formatMoment(row.updated_at)],
    ["Since", formatMoment(row.created_at)],
  ],
  create: {
    title: "New key of a provider",
    save: "Set key",
    fields: [
      {
        name: "provider",
        label: "Provider",
        kind: "text",
        required: true,
        inPath: true,
        placeholder: "openai, or openai/eu",
      },
      ...FIELDS,
    ],
    put: (form) => `provider-keys/${encodeURIComponent(form.get("provider")?.trim() ?? "")}`,
  },
  actions: [
    {
      ...DELETE,
      confirm: ({ provider }) =>
        `Calls go on without the key ${provider}. Proxies may use it for a minute more.`,
    },
  ],
};
