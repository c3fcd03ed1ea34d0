import { resolve4, resolve6 } from "node:dns/promises";

/** Every address that a name has. Rejects where that cannot be told. */
export type Resolve = (name: string) => Promise<string[]>;

const NO_SUCH_RECORD = new Set(["ENOTFOUND", "ENODATA"]);

async function recordsOrNone(records: Promise<string[]>): Promise<string[]> {
  try {
    return await records;
  } catch (error) {
    if (NO_SUCH_RECORD.has(String((error as { code?: unknown }).code))) return [];
    throw error;
  }
}

/** As the runtime resolves: its `node:dns` asks 1.1.1.1 over HTTPS. */
export const resolveName: Resolve = async (name) => {
  const records = await Promise.all([recordsOrNone(resolve4(name)), recordsOrNone(resolve6(name))]);
  return records.flat();
};
