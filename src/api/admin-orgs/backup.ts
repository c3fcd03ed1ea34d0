import { isRefusal } from "../../contract/refusal.ts";
import { operation } from "../../edge/request/operation.ts";
import { OrgArchive } from "../../edge/object/org-archive.ts";
import { bodyOf, type OrgDoor } from "../../edge/object/org-door.ts";

export const backupOrg = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}/backup",
    summary: "Download a signed archive of an organization",
    description:
      "Everything that the organization owns, with its archived runs, as of one moment, for `POST /v1/admin/orgs/import`. It contains digests of keys and encrypted secrets, so keep it as safe as the database.",
    role: "operator",
    servedAtHome: true,
    reply: { 200: null },
    media: ["application/octet-stream"],
    refuses: ["conflict"],
  },
  async (call) => {
    const opened = await call.org.command("openBackup", {});
    if (isRefusal(opened)) return opened;
    const { archive_id: archiveId, head, runs } = bodyOf(opened);
    const made = await tablesOf(call.org, archiveId);
    if (isRefusal(made)) {
      await call.org.command("dropBackup", { archiveId });
      return made;
    }
    const archive = new OrgArchive(call.org, { archiveId, head, runs }, call.settings.SVC_KEY_PEPPER);
    call.headers["content-disposition"] = `attachment; filename="${call.params.org_id}.backup"`;
    const stream = streamed(call.org, archiveId, partsOf(archive, made));
    return { status: 200, stream, media: "application/octet-stream" };
  },
);

/** Files that cannot be read are found before the answer begins. */
async function tablesOf(org: OrgDoor, archiveId: string) {
  const unreadable = await unreadableFiles(org, archiveId);
  if (unreadable !== null) return unreadable;
  const made = await org.command("makeBackup", { archiveId, namesFiles: false });
  return isRefusal(made) ? made : bodyOf(made);
}

async function unreadableFiles(org: OrgDoor, archiveId: string) {
  const check = (after: number) => org.query("checkBackup", { archiveId, after });
  let checked = await check(0);
  while (!isRefusal(checked) && checked.body.last !== null) checked = await check(checked.body.last);
  return isRefusal(checked) ? checked : null;
}

async function* partsOf(
  archive: OrgArchive,
  made: Parameters<OrgArchive["rest"]>[0],
): AsyncGenerator<Buffer> {
  yield* archive.head();
  const refusal = yield* archive.rest(made, false);
  if (refusal !== null) throw new Error(`the backup stopped: ${refusal.message ?? refusal.code}`);
}

/** Reads the next part only after the reader has taken the previous one, so memory stays at one part. */
function streamed(
  org: OrgDoor,
  archiveId: string,
  parts: AsyncGenerator<Buffer>,
): ReadableStream<Uint8Array> {
  const drop = () => org.command("dropBackup", { archiveId });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next().catch(async (error: unknown) => {
          await drop();
          throw error;
        });
        if (done !== true) return controller.enqueue(value);
        await drop();
        controller.close();
      },
      async cancel() {
        await drop();
      },
    },
    { highWaterMark: 0 },
  );
}
