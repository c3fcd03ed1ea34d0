import { request } from "node:http";
import { pick, type Random } from "../../../scripts/chaos/random.ts";
import type { ApiDocument, ApiOperation } from "../../../scripts/frozen-contract/openapi.ts";
import { ERRORS, type ErrorCode } from "../../../src/contract/errors.ts";
import manifest from "../../contract/manifest.json" with { type: "json" };
import { PATIENCE_MS } from "../patience.ts";
import { callerAt } from "../server.ts";
import { type FuzzRequest, nameOf, PARAM, requestOf } from "./requests.ts";
import { chance } from "./values.ts";

export interface FuzzAnswer {
  readonly status: number;
  readonly type: string;
  readonly trace: string;
  readonly text: string;
}

export interface FuzzService {
  readonly url: string;
  readonly operatorKey: string;
  readonly document: ApiDocument;
}

const ACCESS: Readonly<Record<string, { readonly role: string; readonly forCustomers?: boolean }>> =
  manifest.access.operations;
/** After these an org may refuse everything. */
const LOCKS = new Set([
  "POST /v1/admin/orgs/{org_id}/suspend",
  "PUT /v1/admin/orgs/{org_id}/rate-limits",
  "PATCH /v1/orgs/{id}",
  "PUT /v1/orgs/{id}/residency",
]);
const ID = /\b([a-z]{2,8})_[0-9A-HJKMNP-TV-Z]{26}\b/g;
/** Years of a test clock are years of work that becomes due at once, which takes the time of all other calls. */
const YEARS = /"advance_seconds":\d{7,}/;
const MOST_SECONDS_AHEAD = 864_000;
const MOST_KNOWN = 20;
const MOST_SEARCHED = 20_000;
const MOST_FILE_BYTES = 2_000_000;

/** An org that is called in every way, by itself and by others, and what its callers learn from its answers. */
export class FuzzWorld {
  readonly #service: FuzzService;
  readonly #random: Random;
  readonly #callers: Readonly<Record<string, string>>;
  readonly #known = new Map<string, string[]>();
  /** By their prefix. */
  readonly #ids = new Map<string, string[]>();

  private constructor(
    service: FuzzService,
    random: Random,
    orgs: readonly string[],
    callers: Readonly<Record<string, string>>,
  ) {
    this.#service = service;
    this.#random = random;
    this.#callers = callers;
    // The first is its own, nearly always.
    this.#known.set(
      "org_id",
      orgs.flatMap((org, at) => Array.from({ length: at === 0 ? 9 : 1 }, () => org)),
    );
  }

  static async make(service: FuzzService, random: Random): Promise<FuzzWorld> {
    const call = callerAt(service.url);
    const made = async (path: string, key: string, body: object) => {
      const answer = await call("POST", path, { key, body });
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      return answer.body;
    };
    const newOrg = (name: string) =>
      made("/v1/admin/orgs", service.operatorKey, { name, environment: "test" });
    const [own, other] = await Promise.all([newOrg("Own"), newOrg("Other")]);
    const path = `/v1/orgs/${own.org.id}`;
    const grant = { scope: "read_only", reason: "r", expires_in_seconds: 3600 };
    const [viewer, customer, opened] = await Promise.all([
      made(`${path}/keys`, own.owner_key, { name: "v", role: "viewer" }),
      made(`${path}/customers/c1/tokens`, own.owner_key, { ttl_seconds: 3600 }),
      made(`${path}/support-grants`, own.owner_key, grant),
    ]);
    const support = await made("/v1/admin/support-sessions", service.operatorKey, { grant_id: opened.id });
    const world = new FuzzWorld(service, random, [own.org.id, other.org.id], {
      owner: own.owner_key,
      stranger: other.owner_key,
      operator: service.operatorKey,
      viewer: viewer.key,
      customer: customer.token,
      support: support.token,
      nobody: "",
    });
    await world.#unlock();
    return world;
  }

  /** One call of an operation. Returns what is wrong with its answer, and the status. */
  async call(
    name: string,
    operation: ApiOperation,
    harm: number,
  ): Promise<{ status: number; findings: string[] }> {
    const random = this.#random;
    const sent = requestOf(random, {
      document: this.#service.document,
      name,
      operation,
      harm,
      known: (param) => this.#known.get(param) ?? [],
      withKnownIds: (text) =>
        text
          .replaceAll(ID, (id, prefix: string) => this.#ids.get(prefix)?.at(-1) ?? id)
          .replace(YEARS, `"advance_seconds":${MOST_SECONDS_AHEAD}`),
    });
    const caller =
      harm > 0 && chance(random, 0.08)
        ? pick(random, Object.keys(this.#callers) as [string])
        : callerOf(name);
    const answer = await this.#send(sent, this.#callers[caller] ?? "");
    this.#learn(name, sent.path, answer);
    if (LOCKS.has(name) && answer.status < 300) await this.#unlock();
    const problem = problemOf(name, operation, answer);
    if (problem === null) return { status: answer.status, findings: [] };
    const { method, path, headers, body } = sent;
    const said = [
      `${name}: ${problem}`,
      `  ${caller}: ${method} ${path.slice(0, 500)} ${JSON.stringify(headers).slice(0, 500)}`,
      `  ${body === null ? "no body" : body.toString("utf8").slice(0, 1500)}`,
      `  ${answer.status} ${answer.text.slice(0, 300)} (trace ${answer.trace})`,
    ];
    return { status: answer.status, findings: [said.join("\n")] };
  }

  /** The own org serves its callers again. */
  async #unlock(): Promise<void> {
    const call = callerAt(this.#service.url);
    const key = this.#service.operatorKey;
    const [org] = this.#known.get("org_id") ?? [];
    const policies: object[] = [];
    await call("POST", `/v1/admin/orgs/${org}/resume`, { key });
    await call("PUT", `/v1/admin/orgs/${org}/rate-limits`, { key, body: { read_rpm: 1_000_000, policies } });
    await call("PATCH", `/v1/orgs/${org}`, { key, body: { ip_allow_list: [] } });
    await call("PUT", `/v1/orgs/${org}/residency`, { key, body: { regions: ["local"] } });
  }

  #send({ method, path, headers, body }: FuzzRequest, key: string): Promise<FuzzAnswer> {
    const all = { ...headers, ...(key === "" ? {} : { authorization: `Bearer ${key}` }) };
    const length = body === null ? {} : { "content-length": body.byteLength };
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#service.url);
      const options = { hostname, port, method, path, headers: { ...all, ...length }, agent: false };
      const sending = request({ ...options, timeout: PATIENCE_MS }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          const { statusCode: status = 0, headers: got } = response;
          const header = (name: string) => String(got[name] ?? "");
          const file = header("content-type").startsWith("application/octet-stream");
          const text = Buffer.concat(parts).toString(file ? "latin1" : "utf8");
          resolve({ status, type: header("content-type"), trace: header("x-svc-trace-id"), text });
        });
      });
      sending.once("timeout", () => sending.destroy(new Error(`${method} ${path} is not answered`)));
      sending.once("error", (error) => resolve({ status: 0, type: "", trace: "", text: String(error) }));
      sending.end(body ?? undefined);
    });
  }

  /** Notes the ids, names, cursors and files of an answer for the calls that come after it. */
  #learn(name: string, path: string, { status, text, type }: FuzzAnswer): void {
    if (status >= 300 || text === "") return;
    this.#learnNames(name, path);
    if (type.startsWith("application/octet-stream") && text.length < MOST_FILE_BYTES)
      this.#note(this.#known, "file", text);
    if (!type.startsWith("application/json")) return;
    const body = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    for (const [id, prefix = ""] of text.slice(0, MOST_SEARCHED).matchAll(ID))
      this.#note(this.#ids, prefix, id);
    if (typeof body?.["next_cursor"] === "string") this.#note(this.#known, "cursor", body["next_cursor"]);
    const listed = [body?.["data"] ?? body?.["results"] ?? body].flat() as { readonly id?: unknown }[];
    const param = paramBelow(this.#service.document, name.split(" ")[1] ?? "");
    for (const one of listed.slice(0, 3)) {
      if (param !== null && typeof one?.id === "string") this.#note(this.#known, param, one.id);
      for (const [field, value] of Object.entries(one ?? {})) {
        const id = (value as { readonly id?: unknown } | null)?.id;
        if (typeof id === "string" && field !== "org") this.#note(this.#known, `${field}_id`, id);
      }
    }
  }

  /** What a PUT has stored is there under the names of its path. */
  #learnNames(name: string, path: string): void {
    const [method, template = ""] = name.split(" ");
    const parts = path.split("?")[0]?.split("/") ?? [];
    for (const [at, part] of template.split("/").entries()) {
      const param = /^\{(\w+)\}$/.exec(part)?.[1];
      if (method === "PUT" && param !== undefined && !param.endsWith("id"))
        this.#note(this.#known, param, decodeURIComponent(parts[at] ?? ""));
    }
  }

  #note(known: Map<string, string[]>, name: string, value: string): void {
    const values = known.get(name) ?? [];
    // Of the orgs of others, those that a world began with are enough.
    if (name !== "org_id" && !values.includes(value)) known.set(name, [...values, value].slice(-MOST_KNOWN));
  }
}

function callerOf(name: string): string {
  const access = ACCESS[name];
  if (access?.forCustomers === true) return "customer";
  if (access?.role === "anyone") return "nobody";
  return access?.role === "operator" ? "operator" : "owner";
}

/** The parameter that an id of a collection's items is used for. */
function paramBelow({ paths = {} }: ApiDocument, path: string): string | null {
  const below = Object.keys(paths).find((one) => one.startsWith(`${path}/{`)) ?? "";
  const last = [...below.slice(0, below.indexOf("}", path.length) + 1).matchAll(PARAM)].at(-1);
  return last === undefined ? null : nameOf(last[1] ?? "", last[2] ?? "");
}

/** Codes of 500 and above that are true: of the org's own rules and models, and of a runtime that restores no object. */
const TRUE_FAILURES: Readonly<Record<string, RegExp>> = {
  no_model_passes_eval: /^/,
  policy_expression_error: /^/,
  service_unavailable: /^POST \/v1\/admin\/orgs\/\{org_id\}\/restore$/,
};

/** What is wrong with an answer. Null if nothing is. */
export function problemOf(
  name: string,
  { responses = {} }: ApiOperation,
  { status, type, text }: FuzzAnswer,
): string | null {
  if (status === 0) return "no answer";
  if (responses[String(status)] === undefined) return `status ${status} is not documented`;
  if (status < 400) return null;
  const error = envelopeIn(type, text);
  if (error === null) return "the body of an error is no envelope";
  const { code } = error;
  if (!ERRORS[code as ErrorCode]?.statuses.some((one) => one === status)) return `${code} with ${status}`;
  return status >= 500 && TRUE_FAILURES[code]?.test(name) !== true ? code : null;
}

function envelopeIn(type: string, text: string): { readonly code: string } | null {
  if (!type.startsWith("application/json")) return null;
  try {
    const body = JSON.parse(text) as { error: { code: unknown; message: unknown; details: unknown } };
    const { code, message, details } = body.error;
    const isWhole = Object.keys(body).length === 1 && Object.keys(body.error).length === 3;
    const isDetailed = typeof details === "object" && details !== null && !Array.isArray(details);
    return isWhole && isDetailed && typeof message === "string" && typeof code === "string" ? { code } : null;
  } catch {
    return null;
  }
}
