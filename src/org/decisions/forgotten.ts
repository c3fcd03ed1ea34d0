/** Before holds that ended until then are deleted. A hold that any isolate made before such an end has ended with it. */
export function noteForgotten(sql: SqlStorage, endedUntilMs: number): void {
  sql.exec("UPDATE forgotten_holds SET made_until = ?1 WHERE made_until < ?1", endedUntilMs);
}

/** Every hold that was made after this moment and has reached the object is stored. */
export function forgottenUntil(sql: SqlStorage): number {
  return sql.exec<{ at: number }>("SELECT made_until AS at FROM forgotten_holds").one().at;
}
