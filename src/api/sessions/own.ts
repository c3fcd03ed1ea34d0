import { ownSession } from "../../contract/resources/sessions.ts";
import { refuse } from "../../contract/refusal.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { refuseCustomer } from "../../edge/identity/customer.ts";
import { bearerOf } from "../../edge/identity/identify.ts";
import { admitCookie } from "../../edge/identity/session-cookie.ts";

export const getOwnSession = operation(
  {
    method: "GET",
    path: "/v1/console/session",
    summary: "Read the current console session",
    description:
      "Authenticates with the session cookie instead of a key. If the session has ended, the response says so and clears the cookie.",
    role: "anyone",
    reply: { 200: ownSession },
    refuses: ["unauthorized", "forbidden", "session_revoked", "ip_not_allowed", "residency_violation"],
  },
  async (call) => {
    const refused = await refuseCustomer(call, bearerOf(call.request.headers));
    if (refused !== null) return refused;
    const admitted = await admitCookie(call);
    if (admitted.kind === "live") return reply(200, admitted.session);
    if (admitted.kind === "none")
      return refuse("unauthorized", {}, { message: "No console session was sent." });
    if (admitted.kind === "kept_out") return refuse(admitted.problem);
    call.headers["set-cookie"] = admitted.clear;
    return refuse("session_revoked");
  },
);
