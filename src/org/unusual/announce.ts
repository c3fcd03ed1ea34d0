import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import { transaction } from "../../storage/transaction.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { performDue } from "../kernel/perform/perform.ts";
import { type UnusualSpend, unusualSpend } from "../../domain/forecast/unusual-subjects.ts";
import { subscribersTo } from "../webhooks/fan-out.ts";
import { countHours, forgetHours, isLookedAt, readHours } from "./hours.ts";
import { sensitivityOf } from "./settings.ts";
import { readSubjects } from "./subjects.ts";

/**
 * Once an hour, counts the runs that came since by hour, and compares yesterday, and today so far, with what is usual, for
 * webhooks that want to hear of it. Somebody who looks at an org with many runs needs the counts, too. Other orgs have no row
 * for it.
 */
export const watchSpend: DueHandler = {
  kind: "work",
  async run(object) {
    const { storage } = object;
    const { sensitivity, isKept } = transaction(storage, (sql) => {
      const { now, orgId } = object.view();
      const wanted = subscribersTo(sql, "spend.unusual").length === 0 ? "off" : sensitivityOf(sql);
      const keeps = wanted !== "off" || isLookedAt(sql, now);
      scheduleDue(sql, DUE.unusual, "", keeps ? nextLook(now, orgId) : null);
      if (!keeps) forgetHours(sql);
      return { sensitivity: wanted, isKept: keeps };
    });
    if (!isKept) return;
    const isCounted = await countHours(object);
    // The next round goes on with it.
    if (!isCounted) {
      transaction(storage, (sql) => scheduleDue(sql, DUE.unusual, "", object.view().now));
    }
    if (sensitivity === "off" || !isCounted) return;
    const today = dayOf(object.view().now);
    const range = { from: today - 1, to: today, today, sensitivity };
    const subjects = transaction(storage, (sql) =>
      readSubjects({ ...object.view(), sql }, range, readHours(sql)),
    );
    const [org] = subjects;
    if (org === undefined) return;
    for (const subject of subjects) {
      const found = unusualSpend(subject, org, range);
      if (found.length > 0) performDue(storage, object.view(), (tx) => announce(tx, found));
      // Other calls are served before the next subject.
      await scheduler.wait(0);
    }
  },
};

/** The same minute of every hour, another one for each org. */
function nextLook(now: number, orgId: string): number {
  const minute = [...Buffer.from(orgId)].reduce((sum, byte) => (sum * 31 + byte) % 60, 7) * MINUTE_MS;
  const thisHour = Math.floor(now / HOUR_MS) * HOUR_MS + minute;
  return thisHour > now ? thisHour : thisHour + HOUR_MS;
}

/** Each subject and day once. */
function announce(tx: Tx, found: readonly UnusualSpend[]): void {
  for (const one of found) {
    const { rowsWritten } = tx.sql.exec(
      "INSERT OR IGNORE INTO unusual_days (day, subject_kind, subject_id) VALUES (?, ?, ?)",
      one.date,
      one.subject_kind,
      one.subject_id ?? "",
    );
    if (rowsWritten > 0) tx.emit("spend.unusual", one);
  }
}
