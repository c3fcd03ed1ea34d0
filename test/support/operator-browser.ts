import { operatorKey, serve } from "./worker.ts";

/** A browser of an operator who is signed in. */
export interface OperatorBrowser {
  get(path: string): Promise<Response>;
  /** The text of a page that is there. */
  read(path: string): Promise<string>;
  /** Sends a form with its token, and a key of its own unless one is given. */
  post(path: string, fields: Record<string, string>): Promise<Response>;
}

const ORIGIN = "http://sluice.test";
const ADDRESS = { "cf-connecting-ip": "203.0.113.77" };
export const pairOf = (answer: Response) => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const tokenIn = (page: string) => /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";

/** Signs in through the form, as a browser does. */
export async function operatorSignIn(key: string): Promise<Response> {
  const form = await serve(`${ORIGIN}/operator/login`, { headers: ADDRESS, redirect: "manual" });
  const body = new URLSearchParams({ _csrf: tokenIn(await form.text()), _once: crypto.randomUUID(), key });
  const headers = { ...ADDRESS, cookie: pairOf(form) };
  return serve(`${ORIGIN}/operator/login`, { method: "POST", headers, body, redirect: "manual" });
}

export async function operatorBrowser(): Promise<OperatorBrowser> {
  return browserWith(pairOf(await operatorSignIn(operatorKey())));
}

/** Whoever has this cookie, an operator or not. */
export function browserWith(cookie: string): OperatorBrowser {
  const headers = { ...ADDRESS, cookie };
  const get = async (path: string) => serve(ORIGIN + path, { headers, redirect: "manual" });
  return {
    get,
    read: async (path) => (await get(path)).text(),
    post: async (path, fields) => {
      const _csrf = tokenIn(await (await get("/operator/plans")).text());
      const body = new URLSearchParams({ _csrf, _once: crypto.randomUUID(), ...fields });
      return serve(ORIGIN + path, { method: "POST", headers, body, redirect: "manual" });
    },
  };
}
