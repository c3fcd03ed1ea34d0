import { readTraceParent, type TraceParent, writeTraceParent } from "../../domain/text/traceparent.ts";
import type { Role, Scope } from "../../contract/access.ts";
import { type OperationContract, scopesNeeded } from "../../contract/operation.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { BodyHold } from "../../domain/body/body-memory.ts";
import type { RegionPass } from "../../domain/region/pass.ts";
import type { Actor, CountedRequest, Credential, Envelope, IdempotencyAsk } from "../../org/kernel/door.ts";
import type { SupportScope } from "../../domain/people/support.ts";
import type { DecisionReply } from "../../gate/decision/object-verdict.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import type { KnownOrg } from "../identity/key-cache.ts";
import { OrgDoor } from "../object/org-door.ts";
import { orgObject } from "../region/home.ts";

/**
 * The caller: a key of an org, a person with a session, support under a grant, a customer with a token, or the operator (who belongs to no org).
 */
export interface Caller {
  readonly actor: Actor;
  readonly role: Role;
  /** Null means every scope of the role. */
  readonly scopes: ReadonlySet<Scope> | null;
  readonly org: KnownOrg | null;
  /** The digest of the key's secret, if the caller is a key. */
  readonly digest?: string;
  /**
   * Until when the snapshot of the caller may be used. Absent if only the object can tell, or if nothing can change.
   */
  readonly goodUntil?: number;
  /** Set for a key that has expired or was revoked, where it may still finish what it began: how it is refused otherwise. */
  readonly ended?: Refusal<"gone" | "key_expired">;
  /** Set for an operator under a support grant: the scope of the grant. */
  readonly support?: SupportScope;
  /** Set under a customer token: the customer. */
  readonly customer?: string;
}

/** One request as it passes through the checks. Each check adds its result. */
export class Call {
  readonly op: OperationContract;
  readonly request: Request;
  /** The URL of the request: the runtime makes a new text each time that it is asked. */
  readonly url: string;
  readonly env: Env;
  readonly settings: Settings;
  readonly context: ExecutionContext;
  readonly params: Readonly<Record<string, string>>;
  readonly trace: string;
  /** The trace that the caller's own request belongs to. */
  readonly parent: TraceParent | null;
  readonly startedAt: number;
  /** The time at which the caller was checked. */
  judgedAt: number;
  #address: string | null = null;
  /** Set if another region forwarded the call. */
  readonly pass: RegionPass | null;
  /** The org's home region, once it is known. */
  home: string;
  caller: Caller | null = null;
  query: Readonly<Record<string, unknown>> = {};
  /** The headers that the operation reads. */
  requestHeaders: Readonly<Record<string, unknown>> = {};
  /** The reading of the body, for an operation that may begin it early. */
  reading: Promise<Refusal | null> | null = null;
  rawBody = "";
  /** The length of the body, as it was sent. */
  bodyBytes = 0;
  /** The memory that its body takes until the call has its answer. */
  bodyHold: BodyHold | null = null;
  /** The client broke off its upload, so the response is only for the log. */
  isCutOff = false;
  body: unknown = undefined;
  /** The body, if the operation's own reader took it. */
  read: object | null = null;
  idempotencyKey: string | null = null;
  /** Set if the object counted the request and must give it back when the call is refused. */
  counted: CountedRequest | undefined = undefined;
  /** The object's decision, made when it told about an unknown key. */
  introduced: { readonly askedAt: number; readonly reply: DecisionReply } | null = null;
  /** The conditions of the change, beside `If-Match`. */
  conditions: Pick<Envelope, "mustBeNew" | "isDryRun"> = {};
  digest = "";
  /** Extra response headers. */
  readonly headers: Record<string, string> = {};

  constructor(init: {
    op: OperationContract;
    request: Request;
    url: string;
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
    this.url = init.url;
    this.env = init.env;
    this.settings = init.settings;
    this.context = init.context;
    this.params = init.params;
    this.trace = init.trace;
    this.startedAt = init.now;
    this.judgedAt = init.now;
    this.pass = init.pass;
    this.home = init.settings.SVC_REGION;
    this.parent = readTraceParent(init.request.headers.get("traceparent"));
  }

  get address(): string {
    return (this.#address ??= this.pass?.address ?? callerAddress(this.request));
  }

  get actor(): Actor {
    if (this.caller === null) throw new Error("nobody is authenticated on this call");
    return this.caller.actor;
  }

  /** The org of the call: the one in its path, otherwise the caller's own. */
  get orgId(): string | null {
    return orgInPath(this.op, this.params) ?? this.caller?.org?.id ?? null;
  }

  /** The door to the object of the call's org. */
  get org(): OrgDoor {
    if (this.orgId === null) throw new Error("this call is about no org");
    return new OrgDoor(orgObject(this.env, this.settings, this.orgId, this.home), this.envelope());
  }

  /** The door to an object in this region or in a named one. */
  door(orgId: string, envelope: Envelope = this.envelope(), home = this.settings.SVC_REGION): OrgDoor {
    return new OrgDoor(orgObject(this.env, this.settings, orgId, home), envelope);
  }

  envelope(): Envelope {
    return {
      actor: this.actor,
      trace: this.trace,
      parent: this.parent === null ? null : writeTraceParent(this.parent),
      idempotency: this.idempotency(),
      ifMatch: this.request.headers.get("if-match"),
      ...this.conditions,
      credential: this.credential,
      counted: this.counted,
    };
  }

  /** Returns what the object checks against its own rows first. */
  get credential(): Credential {
    const { role, orScope } = this.op;
    return {
      digest: this.caller?.digest ?? null,
      role: role === "anyone" ? "viewer" : role,
      scopes: scopesNeeded(this.op),
      ...(orScope === undefined ? {} : { orScope }),
    };
  }

  idempotency(fence: number | null = null): IdempotencyAsk | null {
    if (this.idempotencyKey === null) return null;
    const path = new URL(this.url).pathname;
    const digest = this.digest + this.#partOfScope();
    return { key: this.idempotencyKey, method: this.request.method, path, digest, fence };
  }

  /** A caller with a part of the operation's rights is never answered with what one that has all of them was. */
  #partOfScope(): string {
    const { scope, orScope } = this.op;
    const scopes = this.caller?.scopes ?? null;
    if (scope === undefined || orScope === undefined || scopes === null || scopes.has(scope)) return "";
    return ` ${orScope}`;
  }
}

export function orgInPath(op: OperationContract, params: Readonly<Record<string, string>>): string | null {
  if (op.path.startsWith("/v1/orgs/{id}")) return params["id"] ?? null;
  return op.path.startsWith("/v1/admin/orgs/{org_id}") ? (params["org_id"] ?? null) : null;
}

/**
 * The platform sets `cf-connecting-ip`, and clients cannot override it. If it is absent, there is no platform in front
 * and the caller is on this machine.
 */
export function callerAddress(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? (request.cf === undefined ? "127.0.0.1" : "");
}
