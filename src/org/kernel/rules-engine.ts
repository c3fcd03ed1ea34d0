import { loadRulesEngine, rulesEngine } from "../../domain/policy/engine-loading.ts";
import { NeedsFetch } from "../../storage/needs-fetch.ts";

/** For a rule of the object that compiles rules or patterns. */
export function presentRulesEngine(): NonNullable<ReturnType<typeof rulesEngine>> {
  const engine = rulesEngine();
  if (engine === null) throw new NeedsFetch("what compiles rules", loadRulesEngine);
  return engine;
}
