import { type SessionRequest, admitCookie } from "../../../edge/identity/session-cookie.ts";
import { watchPage } from "../../../edge/support/page-watch.ts";
import { type Web, webHeaders } from "../../html.tsx";
import { changesOf } from "./stream.ts";

/**
 * The stream of one open page. It says that something happened, and nothing of what: the page reads that as its reader. Whoever
 * may not watch gets 204, after which the page refreshes itself now and then, and asks for a stream again.
 */
export async function liveRoute(asked: SessionRequest, web: Web): Promise<Response> {
  const admitted = await admitCookie({ ...asked, isWatching: true });
  const watching = admitted.kind === "live" ? watchPage(asked, crypto.randomUUID()) : null;
  const mark = (await watching?.look()) ?? null;
  const headers = webHeaders(web);
  if (watching === null || mark === null) return new Response(null, { status: 204, headers });
  return new Response(changesOf(watching, mark, web.trace), {
    headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" },
  });
}
