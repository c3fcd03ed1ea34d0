import type { PageRequest } from "../visit.ts";

/** Notices after an action. The list is fixed, so that a link cannot inject text. */
const NOTICES = {
  created: "Created.",
  saved: "Saved.",
  deleted: "Deleted.",
  revoked: "Revoked. It no longer works.",
  approved: "Approved. The same attempt is now allowed once.",
  denied: "Denied.",
  replayed: "Queued for delivery again.",
  recovered: "Queued everything that did not arrive.",
  recovered_part: "Queued the first part of what did not arrive. Send the form again for the rest.",
  nothing_missed: "Nothing was missed since then.",
  increased: "Increased.",
  tested: "Test event queued.",
  test_taken: "The receiver took the test message.",
  test_refused: "The receiver did not take the test message. The delivery log has its answer.",
  closed: "Support access has ended.",
  voided: "Voided.",
  suspended: "Suspended. Its calls are refused until it is resumed.",
  resumed: "Resumed. Its calls are served again.",
  prepaid: "It is prepaid. Its calls are refused until it is topped up.",
  not_prepaid: "It is no longer prepaid.",
  topped_up: "Topped up.",
  moved: "Moved. The other region is its home now.",
  imported: "Imported. This region is its home now.",
  imported_before: "This backup had been imported before. Nothing was changed.",
  stayed: "The move was given up. It goes on where it was.",
} as const;

export type NoticeName = keyof typeof NOTICES;

export function Notice({ ask }: { ask: PageRequest }) {
  const name = ask.query.get("notice");
  if (name === null || !Object.hasOwn(NOTICES, name)) return null;
  return (
    <div class="notice" role="status">
      {NOTICES[name as NoticeName]}
    </div>
  );
}

export function noticeAt(path: string, notice: NoticeName): { readonly redirect: string } {
  return { redirect: `${path}?notice=${notice}` };
}
