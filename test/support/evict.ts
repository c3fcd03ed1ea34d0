import { evictDurableObject } from "cloudflare:test";
import { vi } from "vitest";

type Stub = Parameters<typeof evictDurableObject>[0];

/** Ends an object, as the platform does with one that is idle. On a busy machine, what it still does may take a while. */
export async function evict(object: Stub): Promise<void> {
  await vi.waitFor(() => evictDurableObject(object), { timeout: 120_000, interval: 50 });
}
