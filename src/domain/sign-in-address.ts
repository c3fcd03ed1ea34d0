const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What is wrong with the address of an identity provider; null when people may be sent there. */
export function signInAddressProblem(address: string, allowLocal: boolean): string | null {
  if (!URL.canParse(address)) return "must be an absolute https address";
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return "must carry no credentials";
  if (url.hash !== "") return "must have no fragment";
  if (url.protocol === "https:") return null;
  if (url.protocol === "http:" && allowLocal && LOOPBACK.has(url.hostname)) return null;
  return "must be an https address";
}
