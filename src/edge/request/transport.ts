import { settingsOf } from "../../settings.ts";

/** One year, the minimum of browsers' preload lists. It does not cover subdomains, which may not be ours. */
const HSTS = "max-age=31536000";

/** Returns whether the base URL is https. With invalid settings, nothing is served anyway. */
function isHttpsOnly(env: object): boolean {
  try {
    return settingsOf(env).SVC_BASE_URL.startsWith("https:");
  } catch {
    return false;
  }
}

/** Returns whether a plain http request reached a service with an https base URL. */
export function isInTheClear(url: string, env: object): boolean {
  return !url.startsWith("https:") && isHttpsOnly(env);
}

/** Adds `Strict-Transport-Security` to every response over https. */
export function addHsts(
  url: string,
  env: object,
  answer: Response | Promise<Response>,
): Response | Promise<Response> {
  if (!url.startsWith("https:") || !isHttpsOnly(env)) return answer;
  return Promise.resolve(answer).then(withHsts);
}

function withHsts(answer: Response): Response {
  try {
    answer.headers.set("strict-transport-security", HSTS);
    return answer;
  } catch {
    // The headers of a response from another region are immutable, so it is copied.
    const copy = new Response(answer.body, answer);
    copy.headers.set("strict-transport-security", HSTS);
    return copy;
  }
}
