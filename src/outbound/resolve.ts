import { resolve4, resolve6 } from "node:dns/promises";

/** All addresses of a name. Rejects if they cannot be determined. */
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

/** The runtime's `node:dns` asks 1.1.1.1 over HTTPS. */
export const resolveName: Resolve = async (name) => {
  const records = await Promise.all([recordsOrNone(resolve4(name)), recordsOrNone(resolve6(name))]);
  return records.flat();
};
