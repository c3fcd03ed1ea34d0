import type { DigestSettings } from "../../contract/resources/digests.ts";
import type { DigestTime } from "../../domain/digest/schedule.ts";
import { type View } from "../kernel/door.ts";

export type DigestRow = {
  name: string;
  every: DigestSettings["every"];
  at: string;
  timezone: string;
  /** JSON. */
  receivers: string;
  mail_webhook: string | null;
  next_at: number;
  created_at: number;
  updated_at: number;
};

export function loadDigest(sql: SqlStorage, name: string): DigestRow | null {
  return sql.exec<DigestRow>("SELECT * FROM digests WHERE name = ?", name).toArray()[0] ?? null;
}

export const receiversOf = ({ receivers }: DigestRow): string[] => JSON.parse(receivers) as string[];

export const timeOf = ({ every, at, timezone }: DigestRow): DigestTime => ({ every, at, timeZone: timezone });

export function toDigest(row: DigestRow): DigestSettings {
  return {
    name: row.name,
    every: row.every,
    at: row.at,
    timezone: row.timezone,
    to: receiversOf(row),
    next_at: new Date(row.next_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

export function digestNow({ sql }: Pick<View, "sql">, { name }: { name: string }): DigestSettings | null {
  const row = loadDigest(sql, name);
  return row === null ? null : toDigest(row);
}
