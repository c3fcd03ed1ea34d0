/**
 * A proxy before a model: asks for a decision, relays a refusal as it is, else sends the request on. Bindings: SLUICE_URL,
 * SLUICE_KEY, MODEL_URL.
 */
export default {
  async fetch(request, env) {
    const verdict = await fetch(`${env.SLUICE_URL}/v1/edge/decision`, {
      method: "POST",
      headers: { authorization: `Bearer ${env.SLUICE_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        request_id: request.headers.get("x-request-id") ?? crypto.randomUUID(),
        customer_id: request.headers.get("x-customer-id") ?? undefined,
        estimate: { cost_usd: request.headers.get("x-estimate-usd") ?? "0.01" },
      }),
    });
    // Whatever is no allow goes to the caller byte for byte, Retry-After included: 402, 429, and 503 when nobody can tell.
    if (verdict.status !== 200) return new Response(verdict.body, verdict);
    const { reservation } = await verdict.json();
    const { pathname, search } = new URL(request.url);
    const answer = await fetch(new Request(env.MODEL_URL + pathname + search, request));
    const response = new Response(answer.body, answer);
    // Whoever reports the run settles the hold with this id.
    response.headers.set("x-reservation-id", reservation.id);
    return response;
  },
};
