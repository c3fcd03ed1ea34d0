/** The `Gate` entrypoint of the service, as a binding of another Worker of the account has it. */
export interface GateBinding {
  decide(key: string, ask: object): Promise<GateAnswer>;
  /** What is exchanged, or its text. */
  leases(key: string, exchange: object | string): Promise<GateAnswer>;
  /** The runs, or the text of the body that they are sent in. */
  settle(key: string, runs: readonly object[] | string, idempotencyKey?: string): Promise<GateAnswer>;
  release(key: string, reservationId: string): Promise<GateAnswer>;
  renew(key: string, reservationId: string, renewal: object): Promise<GateAnswer>;
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
    const text = typeof body === "string" ? body : "{}";
    const answer = await answerOf(binding, { key, route: `${method} ${pathname}`, text, idempotencyKey });
    return new Response(answer.status === 204 ? null : answer.text, answer);
  };
}

function answerOf(
  binding: GateBinding,
  asked: { key: string; route: string; text: string; idempotencyKey: string | undefined },
): Promise<GateAnswer> {
  const { key, route, text, idempotencyKey } = asked;
  if (route === "POST /v1/edge/leases") return binding.leases(key, text);
  if (route === "POST /v1/runs/bulk") return binding.settle(key, text, idempotencyKey);
  const [, method, named = ""] = /^(\w+) \/v1\/edge\/decision\/([^/]+)/.exec(route) ?? [];
  const reservationId = decodeURIComponent(named);
  if (method === "DELETE") return binding.release(key, reservationId);
  if (method === "POST") return binding.renew(key, reservationId, JSON.parse(text) as object);
  throw new Error(`a binding has no ${route}`);
}
