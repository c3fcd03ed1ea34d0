import { evictDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { tellAtOnce } from "./lives.ts";
import { PATIENT } from "./patience.ts";

type Stub = Parameters<typeof evictDurableObject>[0];

/** Ends an object, as the platform does with one that is idle. On a busy machine, what it still does may take a while. */
export async function evict(object: Stub): Promise<void> {
  tellAtOnce();
  await vi.waitFor(
    () =>
      evictDurableObject(object).catch((error: unknown) => {
        // It was idle for so long that the platform has ended it.
        if (!String(error).includes("not currently running")) throw error;
      }),
    { ...PATIENT, interval: 50 },
  );
}
