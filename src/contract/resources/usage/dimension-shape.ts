import * as z from "zod";
import { MODEL_NAME_MOST_CHARACTERS } from "../../bounds.ts";
import type { Dimension } from "../../dimensions.ts";
import { callerId } from "../../ids.ts";
import { RUN_OUTCOMES } from "../../lists.ts";

export const modelName = z.string().min(1).max(MODEL_NAME_MOST_CHARACTERS);
export const outcome = z.enum(RUN_OUTCOMES);

/** The shape of a name, where calls are told apart by it. */
export function dimensionShape(name: Dimension) {
  if (name === "model") return modelName;
  return name === "outcome" ? outcome : callerId;
}
