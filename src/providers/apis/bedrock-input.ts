import { type JsonObject, objectOf } from "../json.ts";

/**
 * Returns what a conversation shows of its input, in the form in which other APIs have it. Only what stands where a
 * picture or a document is read as one counts as one. Everything else is text, whatever it looks like.
 */
export function bedrockInput({ messages, system, toolConfig, outputConfig }: JsonObject): JsonObject {
  const turns = listOf(messages).map((message) => {
    const { content, ...rest } = objectOf(message);
    return { said: blocksIn(content), rest: JSON.stringify(rest) };
  });
  const tools = listOf(objectOf(toolConfig)["tools"]);
  const cached = tools
    .map(objectOf)
    .filter((tool) => "cachePoint" in tool)
    .map(({ cachePoint }) => cachedBy(cachePoint));
  return {
    messages: turns,
    system: [...blocksIn(system), ...cached],
    tools: [JSON.stringify(toolConfig ?? null), JSON.stringify(outputConfig ?? null)],
  };
}

/** The input before it is written to a cache, above the rate of other input. */
function cachedBy(point: unknown): JsonObject {
  return { cache_control: objectOf(point) };
}

/** A document is read as text and as pictures of its pages, so its bytes bound nothing. Nor do those of sound and films. */
const UNSEEN = { type: "document", media_type: "application/octet-stream", data: "" } as const;
const UNSEEN_KINDS = ["document", "video", "audio"] as const;

function blocksIn(content: unknown): unknown[] {
  return listOf(content).flatMap((block) => partsOf(objectOf(block)));
}

/** A block may have several members, of which the API takes one. All of them are counted. */
function partsOf(block: JsonObject): unknown[] {
  return Object.entries(block).flatMap(([name, value]): unknown[] => {
    const { source, content } = objectOf(value);
    const { bytes } = objectOf(source);
    if (name === "image" && typeof bytes === "string")
      return [{ type: "image", media_type: "image/any", data: bytes }];
    if (name === "image" || UNSEEN_KINDS.some((kind) => kind === name)) return [UNSEEN];
    if (name === "toolResult")
      return [...blocksIn(content), JSON.stringify({ ...objectOf(value), content: [] })];
    if (name === "cachePoint") return [cachedBy(value)];
    return [typeof value === "string" ? value : JSON.stringify(value), name];
  });
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
