/** The part of a browser that signing in needs: cookies by origin, and redirects one step at a time. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  async ask(url: string, form?: Record<string, string>): Promise<Response> {
    const { origin } = new URL(url);
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const init =
      form === undefined ? { headers } : { method: "POST", headers, body: new URLSearchParams(form) };
    const answer = await fetch(url, { ...init, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/;\s*/);
      const at = pair.indexOf("=");
      const gone = attributes.some(
        (text) => /^max-age=0$/i.test(text) || /^expires=Thu, 01 Jan 1970/i.test(text),
      );
      if (gone) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }

  /** Follows redirects until a page, or until a URL that `stop` matches. */
  async follow(
    url: string,
    stop: (url: string) => boolean,
    form?: Record<string, string>,
  ): Promise<{ url: string; answer: Response | null }> {
    let [at, sent] = [url, form];
    for (let hops = 0; hops < 20; hops++) {
      if (stop(at)) return { url: at, answer: null };
      const answer = await this.ask(at, sent);
      const next = answer.headers.get("location");
      if (next === null) return { url: at, answer };
      [at, sent] = [new URL(next, at).href, undefined];
    }
    throw new Error(`redirected for ever: ${at}`);
  }
}
