import type { Role, Scope } from "../contract/access.ts";
import { type OperationContract, scopesNeeded } from "../contract/operation.ts";
import type { RegionPass } from "../domain/region-pass.ts";
import type { Actor, CountedRequest, Credential, Envelope, IdempotencyAsk } from "../org/kernel/door.ts";
import type { SupportScope } from "../domain/support.ts";
import type { Settings } from "../settings.ts";
import type { Env } from "./env.ts";
import type { KnownOrg } from "./known-keys.ts";
import { OrgDoor } from "./org-door.ts";
import { orgObject } from "./region/home.ts";

/** Who calls: a key of an org, a person with a session, support inside a grant, or the operator (who is of no org). */
export interface Caller {
  readonly actor: Actor;
  readonly role: Role;
  /** Null: everything that the role may do. */
  readonly scopes: ReadonlySet<Scope> | null;
  readonly org: KnownOrg | null;
  /** Of the key's secret, where the caller is a key. */
  readonly digest?: string;
  /** Until when what is known of the caller may be acted on; absent where the object alone can tell, or nothing changes. */
  readonly goodUntil?: number;
  /** Set for an operator inside a support grant: how far the grant goes. */
  readonly support?: SupportScope;
}

/** One request on its way through the checks; each check fills in what it found. */
export class Call {
  readonly op: OperationContract;
  readonly request: Request;
  readonly env: Env;
  readonly settings: Settings;
  readonly context: ExecutionContext;
  readonly params: Readonly<Record<string, string>>;
  readonly trace: string;
  readonly startedAt: number;
  /** The moment that the caller was judged at. */
  judgedAt: number;
  readonly address: string;
  /** Set when another region handed the call on. */
  readonly pass: RegionPass | null;
  /** The region that the org is at home in, once it is known. */
  home: string;
  caller: Caller | null = null;
  query: Readonly<Record<string, unknown>> = {};
  rawBody = "";
  /** The client broke its upload off, so the answer is for the log. */
  isCutOff = false;
  body: unknown = undefined;
  idempotencyKey: string | null = null;
  /** Set where the object has counted the request, and is to give that back if the call is refused. */
  counted: CountedRequest | undefined = undefined;
  digest = "";
  /** Extra response headers. */
  readonly headers: Record<string, string> = {};

  constructor(init: {
    op: OperationContract;
    request: Request;
    env: Env;
    settings: Settings;
    context: ExecutionContext;
    params: Readonly<Record<string, string>>;
    trace: string;
    now: number;
    pass: RegionPass | null;
  }) {
    this.op = init.op;
    this.request = init.request;
    this.env = init.env;
    this.settings = init.settings;
    this.context = init.context;
    this.params = init.params;
    this.trace = init.trace;
    this.startedAt = init.now;
    this.judgedAt = init.now;
    this.pass = init.pass;
    this.home = init.settings.SVC_REGION;
    this.address = init.pass?.address ?? callerAddress(init.request);
  }

  get actor(): Actor {
    if (this.caller === null) throw new Error("nobody is authenticated on this call");
    return this.caller.actor;
  }

  /** The org that the call is about: the one in its path, else the caller's own. */
  get orgId(): string | null {
    return orgInPath(this.op, this.params) ?? this.caller?.org?.id ?? null;
  }

  /** The door to the object of the org that the call is about. */
  get org(): OrgDoor {
    if (this.orgId === null) throw new Error("this call is about no org");
    return new OrgDoor(orgObject(this.env, this.settings, this.orgId, this.home), this.envelope());
  }

  /** The door to an object of this region, or of another that is named. */
  door(orgId: string, envelope: Envelope = this.envelope(), home = this.settings.SVC_REGION): OrgDoor {
    return new OrgDoor(orgObject(this.env, this.settings, orgId, home), envelope);
  }

  envelope(): Envelope {
    return {
      actor: this.actor,
      trace: this.trace,
      idempotency: this.idempotency(),
      ifMatch: this.request.headers.get("if-match"),
      credential: this.credential,
      counted: this.counted,
    };
  }

  /** What the object holds against its own rows before anything happens. */
  get credential(): Credential {
    const { role } = this.op;
    const digest = this.caller?.digest ?? null;
    return { digest, role: role === "anyone" ? "viewer" : role, scopes: scopesNeeded(this.op) };
  }

  idempotency(fence: number | null = null): IdempotencyAsk | null {
    if (this.idempotencyKey === null) return null;
    const path = new URL(this.request.url).pathname;
    return { key: this.idempotencyKey, method: this.request.method, path, digest: this.digest, fence };
  }
}

export function orgInPath(op: OperationContract, params: Readonly<Record<string, string>>): string | null {
  if (op.path.startsWith("/v1/orgs/{id}")) return params["id"] ?? null;
  return op.path.startsWith("/v1/admin/orgs/{org_id}") ? (params["org_id"] ?? null) : null;
}

/**
 * The platform sets `cf-connecting-ip`, and no client can put another in its place. Where it is absent there is no
 * platform in front: the caller is on this machine.
 */
export function callerAddress(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? (request.cf === undefined ? "127.0.0.1" : "");
}
