export interface Looks {
  readonly looks: readonly string[];
  /** Each text, by the numbers of what it looks like. The first look is number 1. */
  readonly texts: readonly string[];
}

/**
 * Runs in a page. How each text on it looks: its own color and size, and all that is painted where it stands, in the
 * order of the page. Two texts of one look have one contrast. Keeps the elements as `sluiceTexts`, in the order of the
 * looks.
 */
export const LOOKS = `(() => {
  const known = new Map([["", 0]]);
  const looks = [];
  /** A short name for a long look. */
  const nameOf = (look) => {
    if (!known.has(look)) known.set(look, looks.push(look));
    return known.get(look);
  };
  const isReplaced = /^(img|svg|canvas|video|iframe|object)$/i;
  const isControl = /^(input|select|textarea)$/i;
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
  const blends = new Map([[document.documentElement, ""]]);
  const blendOf = (element) => {
    if (!blends.has(element)) {
      const { opacity, filter, mixBlendMode } = getComputedStyle(element);
      const own = [opacity, filter, mixBlendMode].join(" ");
      const outer = element.parentElement === null ? "" : blendOf(element.parentElement);
      blends.set(element, own === "1 none normal" ? outer : outer + own + "/");
    }
    return blends.get(element);
  };
  const texts = [];
  const painted = [];
  const pseudo = (element, name) => {
    const style = getComputedStyle(element, name);
    if (/^(none|normal)$/.test(style.content)) return "";
    return [style.backgroundColor, style.backgroundImage, style.position].join(" ");
  };
  for (const element of document.body.getElementsByTagName("*")) {
    if (element.ownerSVGElement) continue;
    const box = element.getBoundingClientRect();
    // Folded away, or for screen readers alone. The checker passes over both.
    if (box.width <= 1 || box.height <= 1 || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const { backgroundColor, backgroundImage, position } = style;
    // What is set beside the page is not seen.
    if ((box.right + scrollX <= 0 || box.bottom + scrollY <= 0) && position === "absolute") continue;
    const blend = blendOf(element);
    const { left, right, top, bottom } = box;
    const around = pseudo(element, "::before") + pseudo(element, "::after");
    const isSolid = backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none";
    if (isSolid || around !== "" || isReplaced.test(element.tagName)) {
      const { backgroundSize, zIndex, float, display } = style;
      const paint = [backgroundColor, backgroundImage, backgroundSize, around, position, zIndex, float, display, blend];
      painted.push({ element, left, right, top, bottom, look: nameOf(element.tagName + paint.join(";")) });
    }
    if (isControl.test(element.tagName) || [...element.childNodes].some(isText)) {
      const { color, fontSize, fontWeight, textShadow, webkitTextFillColor, visibility, zIndex } = style;
      const own = [color, fontSize, fontWeight, textShadow, webkitTextFillColor, visibility, position, zIndex, blend];
      texts.push({ element, left, right, top, bottom, look: nameOf(element.tagName + own.join(";")) });
    }
  }
  const grounds = [document.documentElement, document.body].map((element) => {
    const { backgroundColor, backgroundImage, colorScheme, opacity } = getComputedStyle(element);
    return [backgroundColor, backgroundImage, colorScheme, opacity].join(";");
  });
  const ground = nameOf(grounds.join("|"));
  globalThis.sluiceTexts = texts.map(({ element }) => element);
  return {
    looks,
    texts: texts.map(({ element, left, right, top, bottom, look }) => {
      let names = ground + "," + look;
      for (const one of painted) {
        if (one.left >= right || one.right <= left || one.top >= bottom || one.bottom <= top) continue;
        const isWhole = one.left <= left && one.right >= right && one.top <= top && one.bottom >= bottom;
        const isOuter = one.element.contains(element);
        const relation = one.element === element ? "s" : isOuter ? "o" : element.contains(one.element) ? "i" : "b";
        names += "," + relation + (isWhole ? "w" : "p") + one.look;
      }
      return names;
    }),
  };
})()`;
