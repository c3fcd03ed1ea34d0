import type { Setting, SettingsPage } from "../page/settings.tsx";
import type { Org } from "../../../contract/resources/orgs.ts";
import { formatMoment } from "../view/format.ts";
import { Facts, Status } from "../view/parts.tsx";

const org: Setting<Org> = {
  name: "org",
  title: "Organization",
  api: "",
  method: "PATCH",
  role: "admin",
  save: "Save",
  above: (found) =>
    found && (
      <Facts
        of={[
          ["Id", <code>{found.id}</code>],
          ["State", <Status is={found.status} />],
          ["Plan", found.plan],
          ["Environment", found.environment],
          ["Home region", found.home_region],
          ["Since", formatMoment(found.created_at)],
        ]}
      />
    ),
  fieldsOf: () => [
    { name: "name", label: "Name", kind: "text", required: true },
    {
      name: "ip_allow_list",
      label: "Allowed IP addresses",
      kind: "list",
      whenEmpty: [],
      placeholder: "203.0.113.0/24, 2001:db8::/32",
      hint: "IP addresses or CIDR blocks. Leave empty to allow any. The list also applies to this console, so include your own address.",
    },
  ],
};

export const organization: SettingsPage = {
  path: "/console/settings",
  title: "Settings",
  about: "The organization's name and the addresses that may call it.",
  settings: [org],
};
