import { createHash } from "node:crypto";

/**
 * This runs in the browser on pages with a chart: a box beside the bar that is pointed at or focused, and arrow keys
 * from bar to bar, so that a chart is one stop of the Tab key. Without it, bars are links with titles. It listens on
 * the document, because a page that refreshes itself replaces its charts.
 */
const TEXT = String.raw`(() => {
  const box = document.createElement("div");
  box.className = "tip";
  box.hidden = true;
  box.setAttribute("aria-hidden", "true");
  document.body.append(box);
  let shown = null;

  const barOf = (at) => (at instanceof Element ? at.closest(".plot-area a") : null);
  const barsOf = (bar) => [...bar.parentNode.querySelectorAll("a")];

  function wordsOf(bar) {
    const title = bar.querySelector("title");
    if (title) {
      bar.setAttribute("aria-label", title.textContent);
      title.remove();
    }
    return bar.getAttribute("aria-label").split("\n");
  }

  function line(words, name) {
    const one = document.createElement("div");
    if (name) {
      const dot = document.createElement("i");
      dot.className = name;
      one.append(dot);
    }
    one.append(words);
    return one;
  }

  function show(bar) {
    const [first, ...others] = wordsOf(bar);
    const parts = [...bar.querySelectorAll("rect:not(.slot)")].map((part) => part.getAttribute("class"));
    const head = line(first);
    head.className = "tip-day";
    const isDivided = parts.length > 1 || others.length > 1;
    box.replaceChildren(head, ...others.map((words, at) => line(words, isDivided ? parts[at] : "")));
    box.hidden = false;
    shown = bar;
    const at = bar.querySelector(".slot").getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    const left = at.left + at.width / 2 - box.offsetWidth / 2;
    const above = at.top - box.offsetHeight - 8;
    box.style.left = Math.max(8, Math.min(left, wide - box.offsetWidth - 8)) + scrollX + "px";
    box.style.top = (above < 4 ? at.bottom + 28 : above) + scrollY + "px";
  }

  function hide() {
    box.hidden = true;
    shown = null;
  }

  document.addEventListener("pointerover", (event) => {
    const bar = barOf(event.target);
    if (bar) show(bar);
    else if (shown && shown !== document.activeElement) hide();
  });
  document.addEventListener("focusin", (event) => {
    const bar = barOf(event.target);
    if (!bar) return hide();
    for (const other of barsOf(bar)) other.setAttribute("tabindex", other === bar ? "0" : "-1");
    if (bar.matches(":focus-visible")) show(bar);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const bar = barOf(document.activeElement);
    if (!bar || event.ctrlKey || event.metaKey || event.altKey) return;
    const bars = barsOf(bar);
    const at = bars.indexOf(bar);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    bars[Math.max(0, Math.min(to, bars.length - 1))].focus();
  });
})();
`;

export const chartScript = TEXT.replaceAll(/^ +/gm, "");

export const CHART_SCRIPT_PATH = `/console/chart-${createHash("sha256").update(chartScript).digest("hex").slice(0, 12)}.js`;
