import { ARCHIVE_PROBLEMS } from "../../../edge/request/archive-body.ts";
import { BLANK, type Field, type FormValues, refusedDraft } from "../../console/view/field.ts";
import { Fields, Form, Problems, SaveOrCancel } from "../../console/view/form.tsx";
import { formatMoment } from "../../console/view/format.ts";
import { noticeAt } from "../../console/view/notice.tsx";
import { Card, Facts, Head } from "../../console/view/parts.tsx";
import { formGuardOf, show, type PageResponse } from "../../console/visit.ts";
import { PartBadge } from "../platform-state.tsx";
import { MOST_UPLOAD_MIB } from "../upload.ts";
import type { OperatorRequest, OperatorVisit } from "../visit.ts";

const UNDER = "/operator";
export const IMPORT_PATH = `${UNDER}/orgs/import`;
const TITLE = "Import a backup";

/** How a backup of any size is imported. */
export const IMPORT_COMMAND = String.raw`curl --data-binary @acme.backup "$BASE/v1/admin/orgs/import" \
  -H "authorization: Bearer $SVC_OPERATOR_KEY" \
  -H "content-type: application/octet-stream"`;

const FIELDS: readonly Field[] = [
  { name: "backup", label: "Backup", kind: "file", required: true, hint: `At most ${MOST_UPLOAD_MIB} MiB.` },
  { name: "confirm", label: "Type the id of the organization in the backup", kind: "text", required: true },
];

export function newImport(visit: OperatorVisit): Promise<PageResponse> {
  return importPage(visit, BLANK, 200);
}

async function importPage(visit: OperatorVisit, draft: FormValues, status: number): Promise<PageResponse> {
  const health = await visit.health();
  const others = visit.regions.filter((region) => region !== visit.region);
  const content = (
    <>
      <Head
        title={TITLE}
        about="Makes an organization of a file that was downloaded as its backup, here or elsewhere. The file is verified as a whole before the organization exists; the platform's audit trail records it."
      />
      <Problems of={FIELDS} draft={draft} />
      <Card title="Check first">
        <Facts
          of={[
            ["Becomes its home", visit.region],
            ["Objects", <PartBadge is={health.object} />],
            ["Database", <PartBadge is={health.database} />],
            [
              "Must not have it",
              others.length === 0 ? "This region" : `This region, and ${others.join(", ")}: each is asked`,
            ],
            ["Pepper", "Must be the one under which the backup was made, or the one before"],
          ]}
        />
      </Card>
      <Card>
        <Form action={IMPORT_PATH} guard={formGuardOf(visit)} isUpload>
          <Fields of={FIELDS} draft={draft} />
          <SaveOrCancel save="Import" cancel={UNDER} />
        </Form>
      </Card>
      <Card title="A larger backup is sent to the API">
        <pre>{IMPORT_COMMAND}</pre>
      </Card>
    </>
  );
  return show(TITLE, UNDER, content, status);
}

/** Imports the file if it is a backup of the organization whose id was typed. Whatever is refused is shown in the form. */
export async function importBackup(visit: OperatorVisit, ask: OperatorRequest): Promise<PageResponse> {
  const typed = ask.form.get("confirm")?.trim() ?? "";
  const wrong = (errors: FormValues["errors"]) =>
    importPage(visit, { values: { confirm: typed }, errors, problem: null }, 422);
  if (ask.file === null) return wrong({ backup: "is required. Choose the file" });
  const head = await visit.backupHead(ask.file);
  if (typeof head === "string") return wrong({ backup: ARCHIVE_PROBLEMS[head] });
  if (typed !== head.org_id) {
    const whose = `${head.org_id}, whose backup of ${formatMoment(head.made_at)} in ${head.home_region} this is`;
    return wrong({ confirm: `must be ${whose}. Nothing was imported` });
  }
  const answer = await visit.upload<{ org_id: string; imported: boolean }>("/v1/admin/orgs/import", ask.file);
  if (answer.body !== null) {
    return noticeAt(
      `${UNDER}/orgs/${answer.body.org_id}`,
      answer.body.imported ? "imported" : "imported_before",
    );
  }
  const draft = refusedDraft(ask.form, answer, FIELDS, (field) => (field === "body" ? "backup" : field));
  return importPage(visit, draft, answer.status);
}
