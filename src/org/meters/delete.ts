import { refuse } from "../../contract/refusal.ts";
import { command, done, type View } from "../kernel/door.ts";
import { deleteMeter } from "./store.ts";

/** The command that deletes a limit, and its counters with it. */
export function deleteLimit<Input>(
  action: string,
  current: (view: View, input: Input) => object | null,
  idOf: (input: Input) => string,
) {
  return command({
    action,
    changesLimits: true,
    refuses: ["not_found"],
    current,
    run(tx, input: Input) {
      if (current(tx, input) === null) return refuse("not_found");
      deleteMeter(tx.sql, idOf(input));
      return done(204, null, { target: idOf(input) });
    },
  });
}
