import { SluiceError } from "../client/index.ts";
import { type Command, Failure, type Terminal } from "./command.ts";
import { make, nameOf, prepare, type PreparedChange } from "./make-changes.ts";
import { FILE_OPTION, plan } from "./plan.ts";
import { planText } from "./plan-text.ts";
import { planOf, type SettingsPlan } from "./settings-plan.ts";

export const apply: Command = {
  usage: "-f FILE [options]",
  summary: "Makes an org what a file of settings says. Shows what changes, and asks first.",
  options: {
    ...FILE_OPTION,
    yes: { type: "boolean", says: "does not ask" },
    prune: { type: "boolean", says: "deletes what the file does not have, in the sections that it has" },
  },
  async run(given, terminal) {
    if (given.options["check"] === true) return plan.run(given, terminal);
    const planned = await planOf(given, terminal);
    const { changes } = planned;
    terminal.out(planText(changes));
    if (changes.length === 0) return 0;
    checkAllowed(planned, given.options["prune"] === true);
    const prepared = await prepare(changes, planned.sluice);
    if (given.options["yes"] !== true) await confirm(changes.length, terminal);
    await makeAll(prepared, planned, terminal);
    return 0;
  },
};

function checkAllowed({ changes, closed }: SettingsPlan, mayDelete: boolean): void {
  const deleted = changes.filter(({ action }) => action === "delete");
  if (deleted.length > 0 && !mayDelete) {
    throw new Failure([
      `${deleted.length} would be deleted, so nothing was changed. --prune deletes; sluice export shows what to add to the file`,
    ]);
  }
  if (closed.size > 0)
    throw new Failure([`this key may not change ${[...closed].join(", ")}, so nothing was changed`]);
}

async function confirm(count: number, { ask }: Terminal): Promise<void> {
  const answer = await ask(`Make ${count === 1 ? "this change" : `these ${count} changes`}? [y/N] `);
  if (answer === null)
    throw new Failure(["nobody is there to ask, so nothing was changed: --yes does not ask"]);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(["nothing was changed"]);
}

async function makeAll(
  prepared: readonly PreparedChange[],
  { sluice }: SettingsPlan,
  { out }: Terminal,
): Promise<void> {
  for (const [done, one] of prepared.entries()) {
    try {
      await make(one, sluice);
    } catch (error) {
      if (!(error instanceof SluiceError || error instanceof Failure)) throw error;
      const rest = `${done} of ${prepared.length} changes were made. Running it again makes the rest`;
      throw new Failure([
        error instanceof Failure ? error.message : `${nameOf(one.change)}: ${error.message}`,
        rest,
      ]);
    }
  }
  out(`${prepared.length} changed.\n`);
}
