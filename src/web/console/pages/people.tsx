import type { Resource } from "../page/resource.ts";
import type { Session } from "../../../contract/resources/sessions.ts";
import { formatMoment } from "../view/format.ts";
import { Badge } from "../view/parts.tsx";

export const people: Resource<Session> = {
  path: "/console/people",
  api: "sessions",
  title: "People",
  about:
    "Who is signed in to this console. A session expires after one hour without use, and after twelve hours at most.",
  one: "person",
  icon: "people",
  empty: ["No one is signed in", "People who sign in appear here."],
  role: "owner",
  idOf: ({ id }) => id,
  nameOf: ({ user }) => user.email ?? user.name,
  subOf: ({ user, current }) => (
    <>
      {user.provider} {current && <Badge tone="accent">you</Badge>}
    </>
  ),
  columns: [
    { title: "Role", cell: ({ role }) => role },
    { title: "From", cell: ({ address }) => <code>{address ?? "–"}</code> },
    { title: "Signed in", kind: "moment", cell: (row) => formatMoment(row.created_at) },
    { title: "Last seen", kind: "moment", cell: (row) => formatMoment(row.last_seen_at) },
    { title: "Ends", kind: "moment", cell: (row) => formatMoment(row.expires_at) },
  ],
  actions: [
    {
      name: "revoke",
      label: "Revoke",
      method: "DELETE",
      api: "",
      inList: true,
      confirm: ({ current }) =>
        current
          ? "This is your own session: you will be signed out."
          : "They are signed out with their next request.",
      notice: "revoked",
    },
  ],
};
