import { createHash } from "node:crypto";

import { charts } from "./charts.ts";
import { layout } from "./layout.ts";
import { narrow } from "./narrow.ts";
import { parts } from "./parts.ts";
import { print } from "./print.ts";
import { tokens } from "./tokens.ts";

/** The console's one stylesheet. Its URL changes with its content, so that browsers can cache it forever. */
export const stylesheet = [tokens, layout, parts, charts, narrow, print]
  .join("")
  .replaceAll(/\n\s*/g, "")
  .replaceAll(/([;:,{}]) /g, "$1")
  .replaceAll(/ ([{}])/g, "$1");

export const STYLESHEET_PATH = `/console/style-${createHash("sha256").update(stylesheet).digest("hex").slice(0, 12)}.css`;
