import { settingsOf } from "../settings.ts";

/** A year, as browsers' preload lists ask for at least; other hosts of the domain are not ours to speak for. */
const HSTS = "max-age=31536000";

/** Whether this service is known under an https address; one whose settings are wrong answers nothing anyway. */
function isHttpsOnly(env: object): boolean {
  try {
    return settingsOf(env).SVC_BASE_URL.startsWith("https:");
  } catch {
    return false;
  }
}

/** Whether the request came in the clear to a service that is known under an https address. */
export function isInTheClear(request: Request, env: object): boolean {
  return !request.url.startsWith("https:") && isHttpsOnly(env);
}

/** Tells browsers, with every answer over https, to come over nothing else. */
export function keptToHttps(
  request: Request,
  env: object,
  answer: Response | Promise<Response>,
): Response | Promise<Response> {
  if (!request.url.startsWith("https:") || !isHttpsOnly(env)) return answer;
  return Promise.resolve(answer).then(withHsts);
}

function withHsts(answer: Response): Response {
  try {
    answer.headers.set("strict-transport-security", HSTS);
    return answer;
  } catch {
    // What another region answered cannot be changed, only copied.
    const copy = new Response(answer.body, answer);
    copy.headers.set("strict-transport-security", HSTS);
    return copy;
  }
}
