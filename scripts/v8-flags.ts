const NAME = "MINIFLARE_WORKERD_V8_FLAGS";

/**
 * The isolates of a local runtime share one thread, and on two cores V8 has one more for all of them. If that one waits for an isolate
 * to collect its garbage, while another isolate waits for it to sweep, the runtime serves nothing any more and takes a whole core.
 * Without threads for garbage nobody waits.
 */
export function collectOnOneThread(): void {
  process.env[NAME] ??= "--single-threaded-gc";
}
