import { command, done, query } from "../kernel/door.ts";

/** The keys of an org that still call deprecated routes, so that its owner can migrate them. */

interface DeprecatedCall {
  readonly method: string;
  readonly route: string;
}

export const noteDeprecatedCall = command({
  action: null,
  // The call has already been made, whatever its result.
  admitsItself: () => true,
  refuses: [],
  run(tx, { method, route }: DeprecatedCall) {
    tx.sql.exec(
      `INSERT INTO deprecated_calls (method, route, caller, calls, last_at) VALUES (?, ?, ?, 1, ?)
       ON CONFLICT (method, route, caller) DO UPDATE SET calls = calls + 1, last_at = excluded.last_at`,
      method,
      route,
      tx.actor.id,
      tx.now,
    );
    return done(200, {});
  },
});

type Row = { method: string; route: string; caller: string; calls: number; last_at: number };

export const listDeprecatedCalls = query({
  refuses: [],
  run: (view, _input: object) => ({
    data: view.sql
      .exec<Row>("SELECT * FROM deprecated_calls ORDER BY last_at DESC LIMIT 200")
      .toArray()
      .map(({ caller, last_at: at, ...call }) => ({
        ...call,
        key_id: caller,
        last_called_at: new Date(at).toISOString(),
      })),
  }),
});
