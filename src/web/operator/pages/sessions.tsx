import type { StoredOperatorSession } from "../../../platform/operator-sessions.ts";
import { ActionButton } from "../../console/view/form.tsx";
import { formatMoment } from "../../console/view/format.ts";
import { Notice, noticeAt } from "../../console/view/notice.tsx";
import { Badge, Card, Head } from "../../console/view/parts.tsx";
import { type Column, Table } from "../../console/view/table.tsx";
import { type PageRequest, formGuardOf, show, type PageResponse } from "../../console/visit.ts";
import { isWithinTime } from "../session.ts";
import type { OperatorVisit } from "../visit.ts";

const UNDER = "/operator/sessions";

const iso = (ms: number) => new Date(ms).toISOString();

/** Lists who is signed in with the operator key. Each session can be ended by itself. */
export async function listSessions(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  const rows = (await visit.sessions.open()).filter((row) =>
    isWithinTime({ startedMs: row.startedAt, seenMs: row.seenAt }, visit.nowMs),
  );
  const content = (
    <>
      <Head
        title="Sessions"
        about="Who is signed in with the operator key. A session ends after an hour without use, after half a day, with a new operator key, or here."
      />
      <Notice ask={ask} />
      <Card bare>
        <Table label="Sessions" columns={columns(visit)} rows={rows} />
      </Card>
    </>
  );
  return show("Sessions", UNDER, content);
}

function columns(visit: OperatorVisit): readonly Column<StoredOperatorSession>[] {
  return [
    {
      title: "Address",
      cell: ({ id, address }) => (
        <>
          <code>{address}</code> {id === visit.sessions.own && <Badge tone="accent">this one</Badge>}
        </>
      ),
    },
    { title: "Signed in", kind: "moment", cell: ({ startedAt }) => formatMoment(iso(startedAt)) },
    { title: "Last used", kind: "moment", cell: ({ seenAt }) => formatMoment(iso(seenAt)) },
    {
      title: "End",
      kind: "actions",
      cell: ({ id, address }) => (
        <ActionButton
          action={`${UNDER}/${encodeURIComponent(id)}/end`}
          guard={formGuardOf(visit)}
          label="End"
          about={`End the session from ${address}`}
          confirm="Whoever uses it must sign in again with the operator key."
        />
      ),
    },
  ];
}

export async function endSession(visit: OperatorVisit, ask: PageRequest): Promise<PageResponse> {
  await visit.sessions.end(ask.params["id"] ?? "");
  return noticeAt(UNDER, "revoked");
}
