import type { Env } from "../env.ts";
import { ObjectUnreachable } from "./unreachable.ts";

/** The database failed. A call that depends on it is unavailable and may work again later. */
class DatabaseUnreachable extends ObjectUnreachable {
  override readonly isObject = false;
}

async function reach<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new DatabaseUnreachable(String(error), { cause: error });
  }
}

/** The binding's own statements, because it accepts no others. */
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

function guarded(statement: D1PreparedStatement): D1PreparedStatement {
  const guard = {
    bind: (...values: unknown[]) => guarded(statement.bind(...values)),
    first: (column: string) =>
      reach(() => (column === undefined ? statement.first() : statement.first(column))),
    run: () => reach(() => statement.run()),
    all: () => reach(() => statement.all()),
    raw: (options: { columnNames: true }) => reach(() => statement.raw(options)),
  } as D1PreparedStatement;
  originals.set(guard, statement);
  return guard;
}

function guardedDatabase(database: D1Database): D1Database {
  return {
    prepare: (query: string) => guarded(database.prepare(query)),
    batch: <T>(statements: D1PreparedStatement[]) =>
      reach(() => database.batch<T>(statements.map((one) => originals.get(one) ?? one))),
  } as D1Database;
}

const guards = new WeakMap<Env, Env>();

/** The bindings, with a database that marks each of its failures. */
export function withReachableDatabase(env: Env): Env {
  let guard = guards.get(env);
  if (guard === undefined) {
    guard = { ...env, DB: guardedDatabase(env.DB) };
    guards.set(env, guard);
  }
  return guard;
}
