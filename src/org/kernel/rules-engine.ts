import { loadRulesEngine, rulesEngine } from "../../domain/rules-engine-loading.ts";
import { Absent } from "./absent.ts";

/** For a rule of the object that compiles rules or patterns. */
export function presentRulesEngine(): NonNullable<ReturnType<typeof rulesEngine>> {
  const engine = rulesEngine();
  if (engine === null) throw new Absent("what compiles rules", loadRulesEngine);
  return engine;
}
