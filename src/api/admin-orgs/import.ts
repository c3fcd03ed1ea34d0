import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { importedOrg } from "../../contract/resources/orgs.ts";
import { UnreadBody } from "../../domain/body/timed.ts";
import type { ArchiveProblem, ReadFrame } from "../../domain/archive/frames.ts";
import { FrameWriter } from "../../domain/archive/frames.ts";
import type { ArchiveHead } from "../../domain/archive/lines.ts";
import { ARCHIVE_PROBLEMS, archiveFrames } from "../../edge/request/archive-body.ts";
import { archiveHead } from "../../edge/request/archive-head.ts";
import type { Call } from "../../edge/request/call.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { reachObject } from "../../edge/object/org-door.ts";
import { refuseUnread } from "../../edge/request/read-bounded.ts";
import { askHome, askPeers } from "../../edge/region/home.ts";
import { objectHere } from "../../edge/region/placement.ts";
import type { ArrivingOrg } from "../../org/backup/arrival.ts";
import { peppersOf } from "../../settings.ts";

export const importOrg = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/import",
    summary: "Import an organization from a backup",
    description:
      "The archive is verified as a whole before the organization exists. This region becomes its home. The same archive twice changes nothing.",
    role: "operator",
    streamedBody: "application/octet-stream",
    reply: { 200: importedOrg, 201: importedOrg },
    refuses: ["conflict", "residency_violation"],
  },
  async (call) => {
    const frames = archiveFrames(call.request.body, peppersOf(call.settings));
    try {
      return await imported(call, frames);
    } catch (error) {
      if (!(error instanceof UnreadBody)) throw error;
      call.isCutOff = error.reason === "broken";
      return refuseUnread(error);
    }
  },
);

type ImportCall = Pick<Call, "env" | "settings" | "door" | "envelope" | "request">;
type Frames = AsyncGenerator<ReadFrame | ArchiveProblem>;

async function imported(call: ImportCall, frames: Frames) {
  const { value: first } = await frames.next();
  const head = archiveHead(first as ReadFrame | ArchiveProblem | undefined);
  if (typeof head === "string") return bad(head);
  const object = objectHere(call.env, call.settings, head.org_id);
  const attempt = crypto.randomUUID();
  const begun = await begin(call, head, attempt);
  if (isRefusal(begun)) return begun;
  const shown = { org_id: head.org_id, archive_id: head.archive_id, home_region: call.settings.SVC_REGION };
  if (!begun.begun) {
    const problem = await rest(frames);
    return problem === null ? reply(200, { ...shown, imported: false }) : bad(problem);
  }
  const stage = (n: number, frame: Uint8Array) =>
    reachObject(async () => await object.stageImport(attempt, n, Buffer.from(frame).toString("base64")));
  const problem = await stageAll(first as ReadFrame, frames, call.settings.SVC_KEY_PEPPER, stage);
  if (problem !== null) return isRefusal(problem) ? problem : bad(problem);
  const elsewhere = await sealAndAskPeers(call, head.org_id, attempt);
  if (elsewhere !== null) return elsewhere;
  const done = await reachObject(async () => await object.finishImport(attempt, call.envelope()));
  if (isRefusal(done)) {
    await reachObject(async () => await object.dropImport(attempt));
    return done as Refusal<"conflict" | "residency_violation" | "validation_failed">;
  }
  await call.door(PLATFORM_ORG_ID).command("recordImport", { orgId: head.org_id, ...done });
  return reply(201, { ...shown, imported: true });
}

/** An org that is anywhere is not imported over. */
async function begin(call: ImportCall, head: ArchiveHead, attempt: string) {
  const { env, settings } = call;
  const known = await askHome(env, settings, head.org_id, async (object) => await object.whereabouts());
  if (known !== null && known.homeRegion !== settings.SVC_REGION) {
    const message = existsElsewhere({ homeRegion: known.homeRegion, attempt: null });
    return refuse("conflict", {}, { message });
  }
  const object = objectHere(env, settings, head.org_id);
  return reachObject(async () => await object.beginImport(attempt, head.archive_id));
}

/**
 * Asks every other region again, now that they are told of this import: the upload may have taken long, and the same org may be on
 * its way into another region. If one does not answer, nothing is imported.
 */
async function sealAndAskPeers(
  call: ImportCall,
  orgId: string,
  attempt: string,
): Promise<Refusal<"conflict"> | null> {
  const { env, settings } = call;
  const object = objectHere(env, settings, orgId);
  if (!(await reachObject(async () => await object.sealImport(attempt)))) return overtaken();
  const drop = () => reachObject(async () => await object.dropImport(attempt));
  const ask = async (peer: Pick<typeof object, "arriving">) => {
    const found: ArrivingOrg | null = await peer.arriving();
    return found?.attempt === attempt ? null : found;
  };
  try {
    const other = await askPeers(env, settings, orgId, ask);
    if (other === null) return null;
    await drop();
    return refuse("conflict", {}, { message: existsElsewhere(other.found) });
  } catch (error) {
    await drop();
    throw error;
  }
}

function existsElsewhere({ homeRegion, attempt }: ArrivingOrg): string {
  return attempt === null
    ? `This organization exists already, in region ${homeRegion}.`
    : `This organization is being imported into region ${homeRegion}. Import it into one region only; if that import does not end, try again after 15 minutes.`;
}

function overtaken(): Refusal<"conflict"> {
  return refuse("conflict", {}, { message: "Another import has taken the place of this one." });
}

/** Frames are signed anew as they are staged, so that the object verifies what it stores by itself. */
async function stageAll(
  first: ReadFrame,
  frames: Frames,
  pepper: string,
  stage: (n: number, frame: Uint8Array) => Promise<boolean>,
): Promise<ArchiveProblem | Refusal<"conflict"> | null> {
  const writer = new FrameWriter(pepper);
  let n = 0;
  let frame: ReadFrame | ArchiveProblem | undefined = first;
  while (frame !== undefined) {
    if (typeof frame === "string") return frame;
    if (!(await stage(n, writer.write(frame.content, frame.isLast)))) return overtaken();
    n += 1;
    ({ value: frame } = (await frames.next()) as { value: ReadFrame | ArchiveProblem | undefined });
  }
  return null;
}

async function rest(frames: Frames): Promise<ArchiveProblem | null> {
  for await (const frame of frames) if (typeof frame === "string") return frame;
  return null;
}

function bad(problem: ArchiveProblem): Refusal<"validation_failed"> {
  return invalidField("body", problem, ARCHIVE_PROBLEMS[problem]);
}
