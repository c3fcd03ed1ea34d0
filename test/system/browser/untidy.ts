import type { Page } from "playwright-core";

/** The figures of charts are measured open. What stays closed has no place yet. */
const IN_PAGE = `(() => {
  const closed = [...document.querySelectorAll("details.figures:not([open])")];
  for (const figures of closed) figures.open = true;
  const wrapped = [...document.querySelectorAll("span.number")].filter(
    (amount) => amount.getClientRects().length > 1,
  );
  const hidden = [...document.querySelectorAll("a")].filter((link) => {
    const { textDecorationLine, textUnderlineOffset, fontSize } = getComputedStyle(link);
    const isClear = parseFloat(textUnderlineOffset) >= 0.3 * parseFloat(fontSize);
    return link.textContent.includes("_") && textDecorationLine === "underline" && !isClear;
  });
  const isCut = (element, cell) =>
    getComputedStyle(element).overflowX !== "visible" || (element !== cell && isCut(element.parentElement, cell));
  const overflowing = [...document.querySelectorAll("td, th, dd, dt, h1, h2")].filter((cell) => {
    if (!cell.checkVisibility()) return false;
    const { left, right } = cell.getBoundingClientRect();
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      range.selectNodeContents(texts.currentNode);
      const isOutside = [...range.getClientRects()].some(
        (box) => box.width > 1 && (box.left < left - 1 || box.right > right + 1),
      );
      if (isOutside && !isCut(texts.currentNode.parentElement, cell)) return true;
    }
    return false;
  });
  const wide = [...document.querySelectorAll(".scroll")].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1,
  );
  const broken = [...document.querySelectorAll("td.brief")].filter((cell) => {
    if (innerWidth < 1000) return false;
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      for (const { index, 0: word } of texts.currentNode.data.matchAll(/[\\w./]+/g)) {
        if (word.length > 24) continue;
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) return true;
      }
    }
    return false;
  });
  const texts = (elements, what) => elements.map(({ textContent }) => what + ": " + textContent.slice(0, 80));
  const found = [
    ...texts(wrapped, "on two lines"),
    ...texts(hidden, "underscores under the underline"),
    ...texts(overflowing, "wider than its cell"),
    ...texts(wide, "wider than the page"),
    ...texts(broken, "a short word on two lines"),
  ];
  for (const figures of closed) figures.open = false;
  return found;
})()`;

/** Amounts on more than one line, links whose underline hides their underscores, text wider than its place, and words that are cut in two. */
export async function untidy(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(IN_PAGE);
}
