import type * as engineModule from "./engine.ts";

type RulesEngine = typeof engineModule;

let engine: RulesEngine | null = null;

/** Null until something has needed it and waited for it. */
export function rulesEngine(): RulesEngine | null {
  return engine;
}

export async function loadRulesEngine(): Promise<void> {
  engine ??= await import("./engine.ts");
}
