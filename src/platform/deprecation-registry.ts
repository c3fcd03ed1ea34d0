import { DurableObject } from "cloudflare:workers";
import {
  activeDeprecations,
  DEPRECATED_ROUTES,
  type Deprecation,
  extendDeprecation,
  flagConflict,
  operationName,
  shortNotice,
} from "../contract/deprecations.ts";
import { REGISTRY_STEPS } from "./object-steps.ts";
import { applySteps } from "./schema.ts";

/**
 * The list of deprecated routes: the contract's own, and those that operators flagged at run time, which are stored
 * here. There is one instance, named `registry`. Every isolate has a copy, and the version shows which copy is newer.
 */

export interface RegistryCopy {
  readonly version: number;
  readonly deprecations: readonly Deprecation[];
}

export type FlagOutcome =
  | { readonly flagged: true; readonly deprecation: Deprecation; readonly copy: RegistryCopy }
  | { readonly flagged: false; readonly conflict: string }
  /** Why the sunset is too early. */
  | { readonly flagged: false; readonly tooSoon: string };

type FlaggedRow = {
  method: Deprecation["method"];
  route: string;
  since: string;
  sunset: string;
  replacement: string | null;
  documentation: string | null;
};

export class DeprecationRegistry extends DurableObject {
  readonly #sql: SqlStorage;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    applySteps(state.storage, REGISTRY_STEPS);
  }

  copy(): RegistryCopy {
    const { current } = this.#sql.exec<{ current: number }>(`SELECT current FROM version`).one();
    return { version: current, deprecations: activeDeprecations(DEPRECATED_ROUTES, this.#flagged()) };
  }

  /** Flags a route, announced now, or extends an existing entry. A deprecation is never withdrawn. */
  flag(asked: Deprecation, announcedMs: number): FlagOutcome {
    return this.ctx.storage.transactionSync(() => {
      const known = this.copy().deprecations.find((one) => operationName(one) === operationName(asked));
      const conflict = flagConflict(known, asked);
      if (conflict !== undefined) return { flagged: false, conflict };
      const tooSoon = shortNotice(known, asked, announcedMs);
      if (tooSoon !== undefined) return { flagged: false, tooSoon };
      const deprecation = extendDeprecation(known, asked);
      this.#save(deprecation);
      return { flagged: true, deprecation, copy: this.copy() };
    });
  }

  #save({ method, route, since, sunset, replacement, documentation }: Deprecation): void {
    this.#sql.exec(
      `INSERT INTO flagged (method, route, since, sunset, replacement, documentation) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (method, route) DO UPDATE SET
         sunset = excluded.sunset, replacement = excluded.replacement, documentation = excluded.documentation`,
      method,
      route,
      since,
      sunset,
      replacement ?? null,
      documentation ?? null,
    );
    this.#sql.exec(`UPDATE version SET current = current + 1`);
  }

  #flagged(): Deprecation[] {
    return this.#sql
      .exec<FlaggedRow>(
        `SELECT method, route, since, sunset, replacement, documentation FROM flagged ORDER BY position`,
      )
      .toArray()
      .map(({ replacement, documentation, ...row }) => ({
        ...row,
        ...(replacement !== null && { replacement }),
        ...(documentation !== null && { documentation }),
      }));
  }
}
