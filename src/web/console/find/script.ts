import { createHash } from "node:crypto";

/**
 * This runs in the browser on every page: `/` and Ctrl-K lead to the search, which lists what it finds while one types.
 * Without it, the search is a form that leads to a page with the same list.
 */
const TEXT = String.raw`(() => {
  const input = document.querySelector("form.search input[name=q]");
  const box = document.getElementById("found");
  if (!input || !box) return;
  const WAIT_MS = 250;
  let timer = 0;
  let latest = 0;
  let at = -1;

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", "found");
  input.setAttribute("aria-expanded", "false");
  box.setAttribute("role", "listbox");
  box.setAttribute("aria-label", "Found");

  const options = () => [...box.children];

  function close() {
    latest += 1;
    clearTimeout(timer);
    box.hidden = true;
    box.replaceChildren();
    mark(-1);
    input.setAttribute("aria-expanded", "false");
  }

  function mark(index) {
    at = index;
    options().forEach((option, own) => option.setAttribute("aria-selected", String(own === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", options()[at].id);
  }

  function show(links) {
    box.replaceChildren(...links.map((link, index) => {
      const option = document.createElement("a");
      option.id = "found-" + index;
      option.href = link.href;
      option.setAttribute("role", "option");
      option.tabIndex = -1;
      option.append(link.textContent);
      const kind = document.createElement("span");
      kind.textContent = link.dataset.kind;
      option.append(kind);
      return option;
    }));
    box.hidden = links.length === 0;
    input.setAttribute("aria-expanded", String(links.length > 0));
    mark(-1);
  }

  async function find() {
    const mine = (latest += 1);
    const q = input.value.trim();
    if (q.length < 2) return close();
    const asked = "/console/search?" + new URLSearchParams({ list: "1", q });
    const answer = await fetch(asked).catch(() => null);
    const text = answer?.ok ? await answer.text() : "";
    if (mine !== latest) return;
    show([...new DOMParser().parseFromString(text, "text/html").querySelectorAll("#hits a")]);
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, WAIT_MS);
  });
  input.addEventListener("blur", close);
  box.addEventListener("mousedown", (event) => event.preventDefault());
  input.addEventListener("keydown", (event) => {
    const all = options();
    if (event.key === "Escape") return close();
    if (all.length === 0) return;
    if (event.key === "ArrowDown") mark((at + 1) % all.length);
    else if (event.key === "ArrowUp") mark((at <= 0 ? all.length : at) - 1);
    else if (event.key === "Enter" && at >= 0) all[at].click();
    else return;
    event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const isTyping = document.activeElement.matches("input, select, textarea");
    const isAsked = (key === "k" && (ctrlKey || metaKey)) || (key === "/" && !isTyping && !ctrlKey && !metaKey);
    if (!isAsked || altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
`;

export const findScript = TEXT.replaceAll(/^ +/gm, "");

export const FIND_SCRIPT_PATH = `/console/find-${createHash("sha256").update(findScript).digest("hex").slice(0, 12)}.js`;
