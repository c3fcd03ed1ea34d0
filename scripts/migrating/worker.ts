import { migrate, type Migration } from "./migrate.ts";

/** Each database is a binding by its id. */
type Env = { readonly [id: string]: D1Database } & {
  readonly MIGRATIONS: Readonly<Record<string, readonly Migration[]>>;
};

/** Whatever is sent to it, it does the same: what the databases lack. */
// oxlint-disable-next-line import/no-default-export -- the runtime calls it
export default {
  async fetch(_request: Request, env: Env): Promise<Response> {
    for (const [id, migrations] of Object.entries(env.MIGRATIONS)) {
      const database = env[id];
      if (database === undefined) throw new Error(`there is no database ${id}`);
      await migrate(database, migrations);
    }
    return new Response(null, { status: 204 });
  },
};
