import * as z from "zod";
import { idShape } from "../../contract/ids.ts";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import type { ArchiveProblem, ReadFrame } from "../../domain/archive/frames.ts";
import { type ArchiveHead, LineReader } from "../../domain/archive/lines.ts";

const headShape = z.object({
  head: z.object({
    archive_id: idShape("bak"),
    org_id: idShape("org").refine((id) => id !== PLATFORM_ORG_ID),
    home_region: z.string(),
    made_at: z.string(),
    steps: z.array(z.string()),
  }),
});

/** Returns what an archive is of. The first line is complete in the first frame. */
export function archiveHead(first: ReadFrame | ArchiveProblem | undefined): ArchiveHead | ArchiveProblem {
  if (first === undefined) return "no_archive";
  if (typeof first === "string") return first;
  const { content } = first;
  const end = content.indexOf("\n");
  const [line] = end < 0 ? [] : new LineReader().push(content.subarray(0, end + 1));
  const { data } = headShape.safeParse(line);
  return data === undefined ? "other_version" : data.head;
}
