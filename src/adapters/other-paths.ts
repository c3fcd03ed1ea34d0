import { SluiceError } from "../client/errors.ts";
import { isNeverServed } from "../providers/provider.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";

/** Calls that are allowed at a price each although they are not metered, such as `{"POST /v1/batches": "2.50"}`. */
export type OtherPaths = Readonly<Record<string, string>>;

const CALL = /^(?:GET|POST|PUT|PATCH|DELETE) \/[\w./-]+$/;
const AMOUNT = /^\d{1,9}(?:\.\d{1,9})?$/;

/** Throws an error that says what is wrong with them. */
export function checkOtherPaths(paths: OtherPaths, setting: string): void {
  for (const [call, price] of Object.entries(paths)) {
    const [, path = ""] = call.split(" ");
    if (!CALL.test(call) || path.split("/").includes(".."))
      throw new SluiceError(`${setting} must name calls such as "POST /v1/batches"`);
    if (isNeverServed(path))
      throw new SluiceError(
        `${setting} must not name ${path}, which returns credentials or administers the account`,
      );
    if (typeof price !== "string" || !AMOUNT.test(price))
      throw new SluiceError(`${setting} must give an amount such as "2.50" for each call`);
  }
}

/** The price of an exact path. Undefined: it is not allowed. */
export function otherPrice(paths: OtherPaths | undefined, method: string, path: string): string | undefined {
  const call = `${method} ${path}`;
  return paths !== undefined && Object.hasOwn(paths, call) ? paths[call] : undefined;
}

export function pathRefusal(kind: "never" | "unknown", setting: string): WireRefusal {
  const message =
    kind === "never"
      ? "This call returns credentials or administers the provider's account. It is never passed on."
      : `This call is not metered, so it is not passed on. Its operator can allow it at a price in ${setting}.`;
  return { status: 403, code: "forbidden", message, details: {} };
}
