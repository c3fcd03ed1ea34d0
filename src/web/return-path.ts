const HOME = "/console";
const LONGEST = 512;
/** Anything outside printable ASCII may be dropped or rewritten by a browser, and a backslash reads as a slash. */
const PLAIN = /^\/[\x21-\x5b\x5d-\x7e]*$/;
const NOWHERE = "http://return-path.invalid";

/**
 * Where the browser goes after sign-in: always a path on this origin. The path is resolved as a browser would resolve
 * it, because `/.//evil.example` only shows what it is afterwards.
 */
export function returnPath(sent: string | null | undefined): string {
  if (sent === null || sent === undefined || sent.length > LONGEST || !PLAIN.test(sent)) return HOME;
  if (!URL.canParse(sent, NOWHERE)) return HOME;
  const url = new URL(sent, NOWHERE);
  const path = url.pathname + url.search + url.hash;
  return url.origin === NOWHERE && !path.startsWith("//") ? path : HOME;
}
