/** The `Gate` entrypoint of the service, as a binding of another Worker of the account has it. */
export interface GateBinding {
  decide(key: string, ask: object): Promise<GateAnswer>;
  leases(key: string, exchange: object): Promise<GateAnswer>;
  settle(key: string, runs: readonly object[], idempotencyKey?: string): Promise<GateAnswer>;
  release(key: string, reservationId: string): Promise<GateAnswer>;
  renew(key: string, reservationId: string, renewal: object): Promise<GateAnswer>;
  /** The fallbacks of a call. */
  fallbacks?(key: string, question: object): Promise<GateAnswer>;
  /** The key's org's own key of a provider, for the proxy. */
  providerKey?(key: string, provider: string): Promise<GateAnswer>;
}

export interface GateAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A binding as the client's network: the calls that a gate makes go over RPC. */
export function fetchOver(binding: GateBinding, key: string) {
  return async (url: string, { method, body, headers }: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    const idempotencyKey = new Headers(headers).get("idempotency-key") ?? undefined;
    const given = typeof body === "string" ? (JSON.parse(body) as { runs?: object[] }) : {};
    const answer = await answerOf(binding, { key, route: `${method} ${pathname}`, given, idempotencyKey });
    return new Response(answer.status === 204 ? null : answer.text, answer);
  };
}

function answerOf(
  binding: GateBinding,
  asked: { key: string; route: string; given: { runs?: object[] }; idempotencyKey: string | undefined },
): Promise<GateAnswer> {
  const { key, route, given, idempotencyKey } = asked;
  if (route === "POST /v1/edge/leases") return binding.leases(key, given);
  if (route === "POST /v1/runs/bulk") return binding.settle(key, given.runs ?? [], idempotencyKey);
  if (route === "POST /v1/edge/fallbacks" && binding.fallbacks !== undefined)
    return binding.fallbacks(key, given);
  const [, method, named = ""] = /^(\w+) \/v1\/edge\/decision\/([^/]+)/.exec(route) ?? [];
  const reservationId = decodeURIComponent(named);
  if (method === "DELETE") return binding.release(key, reservationId);
  if (method === "POST") return binding.renew(key, reservationId, given);
  throw new Error(`a binding has no ${route}`);
}
