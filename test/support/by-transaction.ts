import { runInDurableObject } from "cloudflare:test";
import { env } from "./worker.ts";

/** From now on, by how much each transaction of an org's object changes a number that a statement reads as `n`. */
export async function changesByTransaction(orgId: string, statement: string): Promise<number[]> {
  const changes: number[] = [];
  await runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) => {
    const transact = storage.transactionSync.bind(storage);
    const read = () => storage.sql.exec<{ n: number }>(statement).one().n;
    let depth = 0;
    const counted = <T>(run: () => T): T => {
      if (depth > 0) return transact(run);
      const before = read();
      depth += 1;
      try {
        return transact(run);
      } finally {
        depth -= 1;
        changes.push(read() - before);
      }
    };
    Object.defineProperty(storage, "transactionSync", { value: counted });
  });
  return changes;
}
