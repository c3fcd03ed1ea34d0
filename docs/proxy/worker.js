/**
 * A proxy before a model: asks for a decision, relays a refusal as it is, else sends the request on. Bindings: SLUICE_URL,
 * SLUICE_KEY, MODEL_URL, ESTIMATE_USD.
 */
export default {
  async fetch(request, env) {
    const verdict = await fetch(`${env.SLUICE_URL}/v1/edge/decision`, {
      method: "POST",
      headers: { authorization: `Bearer ${env.SLUICE_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        // One id is reserved once. If callers chose it, they could send it with many calls and pay for one.
        request_id: crypto.randomUUID(),
        customer_id: customerOf(request, env),
        estimate: { cost_usd: env.ESTIMATE_USD ?? "0.01" },
        // Without a reported run, the reservation becomes one when it expires.
        on_expiry: "charge",
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

/** Who pays. Find it from what you have verified, such as the caller's session; never from a header that callers set. */
function customerOf(_request, env) {
  return env.CUSTOMER_ID;
}
