import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import { transaction } from "../../storage/transaction.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { performDue } from "../kernel/perform/perform.ts";
import type { UnusualSpend } from "../../domain/forecast/unusual-subjects.ts";
import { hearersOf } from "../webhooks/fan-out.ts";
import { readSubjects } from "./days.ts";
import { countHours, forgetHours, readHours } from "./hours.ts";
import { sensitivityOf } from "./settings.ts";

/**
 * Once an hour, while a webhook wants to hear of it: counts the runs that came since by hour, and compares
 * yesterday, and today so far, with what is usual. An org without
 * such a webhook has no row for it.
 */
export const watchSpend: DueHandler = {
  kind: "work",
  async run(object) {
    const { storage } = object;
    const sensitivity = transaction(storage, (sql) => {
      const { now, orgId } = object.view();
      const wanted = hearersOf(sql, "spend.unusual").length === 0 ? "off" : sensitivityOf(sql);
      scheduleDue(sql, DUE.unusual, "", wanted === "off" ? null : nextLook(now, orgId));
      if (wanted === "off") forgetHours(sql);
      return wanted;
    });
    if (sensitivity === "off") return;
    await countHours(object);
    const today = dayOf(object.view().now);
    const range = { from: today - 1, to: today, today, sensitivity };
    const { days, hours } = transaction(storage, (sql) => ({
      days: readSubjects({ ...object.view(), sql }, range),
      hours: readHours(sql),
    }));
    const { unusualSpend, withHours } = await import("../../domain/forecast/unusual-subjects.ts");
    const subjects = hours === null ? days : withHours(days, hours, range);
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
