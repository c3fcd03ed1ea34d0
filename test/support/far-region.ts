import { fromWire, type ObjectCall, toWire } from "../../src/edge/region/wire.ts";
import { createExecutionContext } from "cloudflare:test";
import worker from "../../src/index.ts";
import { answerOf, type HttpAnswer } from "./answer.ts";
import { env, operatorKey } from "./worker.ts";

/** Another region as this one sees it: what an org's object there answers, one step at a time. */
export class FarRegion {
  /** The archive that the org came from, once it is there. */
  has: string | null = null;
  /** An import there that may make the org at any time. */
  imports: string | null = null;
  #attempt: string | null = null;
  #archive = "";
  /** Told of each call, before it is done and after. */
  onCall: (method: string, when: "before" | "after") => Promise<void> | void = () => undefined;

  async fetch(_address: string, init: { readonly body: string }): Promise<Response> {
    const { method, args } = fromWire(init.body) as ObjectCall;
    await this.onCall(method, "before");
    const result = this.#answer(method, args as readonly string[]);
    await this.onCall(method, "after");
    return new Response(toWire({ result }), { headers: { "x-svc-region": "far" } });
  }

  #answer(method: string, [first = "", second = ""]: readonly string[]): unknown {
    const isStaging = this.has === null && this.#attempt === first;
    if (method === "beginImport") {
      this.#attempt = first;
      this.#archive = second;
      return { begun: true };
    }
    if (method === "stageImport") return isStaging;
    if (method === "finishImport") {
      if (!isStaging) return { refused: true, code: "conflict", status: 409, message: "Taken.", details: {} };
      this.has = this.#archive;
      return { archiveId: this.#archive, fromRegion: "local" };
    }
    if (method === "abandonImport") {
      this.#attempt = null;
      return this.has === first;
    }
    if (method === "arriving" && (this.has ?? this.imports) !== null)
      return { homeRegion: "far", attempt: this.has === null ? this.imports : null };
    return null;
  }
}

type Send = (method: string, path: string, body: object | ReadableStream | null) => Promise<HttpAnswer>;

/** An operator's calls to a deployment that has other regions. */
export function deploymentWith(regions: Readonly<Record<string, FarRegion>>): Send {
  const names = Object.keys(regions);
  const bindings = Object.fromEntries(names.map((name) => [`FAR_${name}`, regions[name]]));
  const deployed = {
    ...env,
    ...bindings,
    SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
    SVC_REGIONS: JSON.stringify(Object.fromEntries(names.map((name) => [name, `FAR_${name}`]))),
  };
  return async (method, path, body) => {
    const isUpload = body instanceof ReadableStream;
    const type = isUpload ? "application/octet-stream" : "application/json";
    const headers = { authorization: `Bearer ${operatorKey()}`, "content-type": type };
    const sent = body === null ? {} : { body: isUpload ? body : JSON.stringify(body) };
    const request = new Request(`http://sluice.test${path}`, { method, headers, ...sent });
    const given = request as Parameters<typeof worker.fetch>[0];
    return answerOf(await worker.fetch(given, deployed, createExecutionContext()));
  };
}

export function operate(
  regions: Readonly<Record<string, FarRegion>>,
): (method: "POST" | "DELETE", orgId: string, to?: string) => Promise<HttpAnswer> {
  const send = deploymentWith(regions);
  return (method, orgId, to) =>
    send(method, `/v1/admin/orgs/${orgId}/move`, to === undefined ? null : { to });
}
