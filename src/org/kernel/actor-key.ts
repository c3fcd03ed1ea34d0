import type { View } from "./door.ts";

/** The key that a call was made with. Undefined if a person or the service itself made it. */
export function keyOf({ actor }: Pick<View, "actor">): string | undefined {
  return actor.kind === "key" ? actor.id : undefined;
}
