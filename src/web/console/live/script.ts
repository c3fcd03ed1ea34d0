import { createHash } from "node:crypto";

/**
 * This runs in the browser on pages that refresh themselves. It replaces the parts of the page that changed, unless the
 * reader is in them. Without it, pages are the same and are refreshed by hand. A hidden page does not ask.
 */
const TEXT = String.raw`(() => {
  const main = document.getElementById("main");
  const note = document.getElementById("live");
  if (!main || !note || !("EventSource" in window)) return;
  const everyMs = Number(main.dataset.live) * 1000;
  let source = null;
  let timer = 0;
  let retry = 0;
  let shownAt = Date.now();

  const parts = (of) => [...of.children].filter((part) => !part.matches(".search, .live"));
  const textOf = (part) => part.outerHTML.replaceAll(/name="_once" value="[^"]*"|ask-[-0-9a-f]+/g, "");

  const isFilledIn = (field) =>
    field.tagName === "SELECT"
      ? [...field.options].some((option) => option.selected !== option.defaultSelected && option.index > 0)
      : field.value !== field.defaultValue || field.checked !== field.defaultChecked;

  function isInUse(part) {
    const at = document.activeElement;
    const selected = document.getSelection();
    return (
      (at !== document.body && part.contains(at)) ||
      [...part.querySelectorAll("input, select, textarea")].some(isFilledIn) ||
      part.querySelector(":popover-open, details[open], [aria-invalid]") !== null ||
      (selected !== null && !selected.isCollapsed && selected.containsNode(part, true))
    );
  }

  function show(next) {
    const old = parts(main);
    const fresh = parts(next);
    if (old.length === fresh.length) {
      old.forEach((part, at) => {
        if (textOf(part) !== textOf(fresh[at]) && !isInUse(part)) part.replaceWith(fresh[at]);
      });
    } else if (!old.some(isInUse)) {
      for (const part of old) part.remove();
      main.append(...fresh);
    }
  }

  async function refresh() {
    timer = 0;
    shownAt = Date.now();
    const answer = await fetch(location.href, { headers: { "x-sluice-live": "1" } }).catch(() => null);
    if (answer === null) return;
    if (answer.status === 401) return stop(true);
    if (!answer.ok) return;
    const text = await answer.text().catch(() => "");
    const next = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    // A refresh that failed leaves the page as it is.
    if (next && !next.querySelector("[data-failed]")) show(next);
  }

  function soon() {
    if (timer === 0) timer = setTimeout(refresh, Math.max(0, shownAt + everyMs - Date.now()));
  }

  function stop(isOver) {
    if (source) source.close();
    source = null;
    clearTimeout(timer);
    clearTimeout(retry);
    timer = retry = 0;
    note.hidden = true;
    if (isOver) location.reload();
  }

  function start() {
    if (source || document.hidden) return;
    source = new EventSource("/console/live");
    source.onopen = () => { note.hidden = false; };
    source.onerror = () => {
      note.hidden = true;
      // A stream that is turned away stays closed, for there are enough of this session. The page then asks in between.
      if (!source || source.readyState !== 2) return;
      stop(false);
      retry = setTimeout(again, 30000);
    };
    source.addEventListener("change", soon);
    source.addEventListener("over", () => stop(true));
  }

  async function again() {
    await refresh();
    start();
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return stop(false);
    soon();
    start();
  });
  addEventListener("pagehide", () => stop(false));
  start();
})();
`;

export const script = TEXT.replaceAll(/^ +/gm, "");

export const SCRIPT_PATH = `/console/live-${createHash("sha256").update(script).digest("hex").slice(0, 12)}.js`;
