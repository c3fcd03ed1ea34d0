import type { Resource } from "../../page/resource.ts";
import type { Key } from "../../../../contract/resources/keys.ts";
import { SCOPES } from "../../../../contract/access.ts";
import type { Field } from "../../view/field.ts";
import { formatEnd, formatMoment } from "../../view/format.ts";
import { secretPage, Status } from "../../view/parts.tsx";
import { show, type PageResponse } from "../../visit.ts";
import { keyUse, readKeySpend } from "./key-use.tsx";

const FIELDS: readonly Field[] = [
  { name: "name", label: "Name", kind: "text", required: true, placeholder: "Production proxy" },
  {
    name: "role",
    label: "Role",
    kind: "choice",
    half: true,
    options: [
      ["developer", "Developer: decisions and runs"],
      ["viewer", "Viewer: reads"],
      ["admin", "Admin: limits, policies, keys"],
      ["owner", "Owner: everything"],
    ],
  },
  {
    name: "expires_at",
    label: "Expires (UTC)",
    kind: "moment",
    half: true,
    hint: "Leave empty for no expiry.",
  },
  {
    name: "scopes",
    label: "Scopes",
    kind: "checks",
    options: SCOPES.map((scope) => [scope, scope] as const),
    hint: "Choose none for every scope of the role.",
  },
];

const GRACE: Field = {
  name: "grace_seconds",
  label: "The old secret still works for",
  kind: "integer",
  options: [
    ["", "No grace period"],
    ["3600", "1 hour"],
    ["86400", "1 day"],
    ["604800", "1 week"],
  ],
};

const PATH = "/console/keys";

const shownOnce =
  (title: string) =>
  (answer: unknown): PageResponse => {
    const { key } = answer as { key: string };
    const text = "Copy it now: no other page shows it.";
    return show(title, PATH, secretPage(title, ["The key", key, text], [PATH, "Back to keys"]), 201);
  };

const lastUse = ({ last_used_at }: Key) => (last_used_at === null ? "Never" : formatMoment(last_used_at));

const isAlive = ({ status }: Key) => status !== "revoked";

export const keys: Resource<Key> = {
  path: PATH,
  api: "keys",
  title: "Keys",
  about:
    "API keys for your programs. A key's role and scopes are fixed when it is created. The key itself is shown in the answer that creates it.",
  one: "key",
  icon: "keys",
  empty: [
    "No keys",
    "Create one key for the proxy that asks for decisions and another for the application that reports runs.",
  ],
  role: "admin",
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  subOf: ({ id, last4 }) => (
    <code>
      {id} …{last4}
    </code>
  ),
  columns: [
    { title: "Role", cell: ({ role }) => role },
    { title: "State", cell: ({ status }) => <Status is={status} /> },
    { title: "Last used", kind: "moment", cell: (key) => lastUse(key) },
    { title: "Expires", kind: "moment", cell: (key) => formatEnd(key.expires_at) },
  ],
  moreColumns: readKeySpend,
  factsOf: (key) => [
    ["State", <Status is={key.status} />],
    ["Role", key.role],
    ["Last four", <code>…{key.last4}</code>],
    ["Last used", lastUse(key)],
    ["Created", formatMoment(key.created_at)],
    ["Valid from", key.not_before ? formatMoment(key.not_before) : "Creation"],
    ["Expires", formatEnd(key.expires_at)],
    [
      "Scopes",
      <ul class="tags">
        {key.scopes.map((scope) => (
          <li>{scope}</li>
        ))}
      </ul>,
    ],
  ],
  below: keyUse,
  create: { title: "Create a key", save: "Create key", fields: FIELDS, done: shownOnce("Key created") },
  actions: [
    {
      name: "rotate",
      label: "Rotate",
      method: "POST",
      api: "/rotate",
      fields: [GRACE],
      isFor: isAlive,
      confirm: () =>
        "Programs that use this key must get the new secret. Without a grace period, the old one stops working now.",
      done: shownOnce("Key rotated"),
    },
    {
      name: "revoke",
      label: "Revoke",
      method: "DELETE",
      api: "",
      inList: true,
      isFor: isAlive,
      confirm: () => "Calls with this key are refused everywhere from now on. This cannot be undone.",
      notice: "revoked",
    },
  ],
};
