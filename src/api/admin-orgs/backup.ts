import { isRefusal } from "../../contract/refusal.ts";
import { operation } from "../../edge/operation.ts";
import { bodyOf, type OrgDoor } from "../../edge/org-door.ts";

export const backupOrg = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}/backup",
    summary: "Download a signed archive of an organization",
    description:
      "Everything that the organization owns, as of one moment, for `POST /v1/admin/orgs/import`. It contains digests of keys and encrypted secrets, so keep it as safe as the database.",
    role: "operator",
    servedAtHome: true,
    reply: { 200: null },
    media: ["application/octet-stream"],
    refuses: [],
  },
  async (call) => {
    const made = await call.org.command("makeBackup", {});
    if (isRefusal(made)) return made;
    const { archive_id: archiveId, frames } = bodyOf(made);
    call.headers["content-disposition"] = `attachment; filename="${call.params.org_id}.backup"`;
    return { status: 200, stream: streamed(call.org, archiveId, frames), media: "application/octet-stream" };
  },
);

/** Reads the next frame only after the reader has taken the previous one, so memory stays at one frame. */
function streamed(org: OrgDoor, archiveId: string, frames: number): ReadableStream<Uint8Array> {
  let n = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await org.query("backupFrame", { archiveId, n });
        if (isRefusal(read)) throw new Error(`the backup stopped: ${read.code}`);
        controller.enqueue(Buffer.from(read.body.frame, "base64"));
        n += 1;
        if (n < frames) return;
        await org.command("dropBackup", { archiveId });
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
