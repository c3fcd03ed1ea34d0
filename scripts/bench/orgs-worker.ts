import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { standIn } from "./orgs-stand-in.ts";

export * from "../../src/index.ts";

/** The whole Worker, except the orgs' objects. */
export default {
  fetch(request, env, context) {
    const ORG = { getByName: standIn } as unknown as Env["ORG"];
    return worker.fetch(request, { ...env, ORG }, context);
  },
} satisfies ExportedHandler<Env>;
