import { evictDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { tellAtOnce } from "./lives.ts";
import { PATIENT } from "./patience.ts";

type Stub = Parameters<typeof evictDurableObject>[0];

/** Ends an object, as the platform does with one that is idle. On a busy machine, what it still does may take a while. */
export async function evict(object: Stub): Promise<void> {
  tellAtOnce();
  await vi.waitFor(() => evictDurableObject(object), { ...PATIENT, interval: 50 });
}
