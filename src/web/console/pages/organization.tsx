import type { Setting, SettingsPage } from "../page/settings.tsx";
import type { Org } from "../../../contract/resources/orgs.ts";
import { moment } from "../view/format.ts";
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
          ["Since", moment(found.created_at)],
        ]}
      />
    ),
  fieldsOf: () => [
    { name: "name", label: "Name", kind: "text", required: true },
    {
      name: "ip_allow_list",
      label: "Addresses that keys may call from",
      kind: "list",
      whenEmpty: [],
      placeholder: "203.0.113.0/24, 2001:db8::/32",
      hint: "Addresses or CIDR blocks. Left empty: any. It holds for this console, too: keep your own address in.",
    },
  ],
};

export const organization: SettingsPage = {
  path: "/console/settings",
  title: "Settings",
  about: "What the organization is called, and from where it may be called.",
  settings: [org],
};
