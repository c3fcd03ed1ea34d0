import { mostTokensIn } from "../../domain/text/token-bound.ts";
import { isJsonObject, type JsonObject } from "../json.ts";

/** The part of a model's input that a body shows. */
export interface SeenInput {
  /** No tokenizer makes more tokens of the body than this. */
  readonly tokens: number;
  /** The member by which the provider reads more than the body shows. Null if all of the input is in the body. */
  readonly unseen: string | null;
  /** True if some of it may be billed above the rate of text: sound, and what is written to a cache. */
  readonly isCostly: boolean;
  /** True if some of it is written to a cache for longer than the usual five minutes. */
  readonly hasLongCache: boolean;
  /** True if there is a recording or a film among it. */
  readonly hasSound: boolean;
  /** The texts that people or programs wrote for the model: messages, instructions, documents and tools. */
  readonly texts: readonly string[];
}

/** Recordings have ten tokens a second, and at least 500 bytes. */
const SOUND_BYTES_PER_TOKEN = 50;
/** A provider adds these tokens around tools, and around the whole. */
const TOOLS_TOKENS = 1024;

const LONGEST_DATA_PREFIX = 300;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)[^,]{0,200},/i;
const HAS_SCHEME = /^[a-z][\w+.-]*:/i;
/** Members whose text names something at the provider, or on the web, that the model then reads. */
const NAMES_UNSEEN = new Set([
  "previous_response_id",
  "conversation",
  "file_id",
  "file_url",
  "document_url",
  // A document is read as text and as pictures of its pages, so its bytes bound nothing.
  "file_data",
  "prompt_id",
  "container",
  "container_id",
  "vector_store_ids",
  "mcp_servers",
  "server_url",
  "connector_id",
]);
/** Members by which a request has what comes before them written to a cache. */
const NAMES_CACHE = new Set([
  "cache_control",
  "cacheControl",
  "prompt_cache_breakpoint",
  "prompt_cache_options",
]);
const USUAL_CACHE = new Set<unknown>([undefined, null, "5m", "30m"]);
/** Objects that stand for something stored at the provider, if they have an id. */
const NAMES_OF_STORED = new Set(["conversation", "prompt", "audio"]);
/** Members that hold an address or the content itself. */
const NAMES_ADDRESS = new Set(["image_url", "url", "audio_url", "video_url"]);

/** Where parts of messages are. The content of tools and schemas is text, whatever it looks like. */
const CONTENT = new Set(["messages", "input", "system", "prompt"]);
/** Members of parts that hold whatever the caller likes, such as the arguments of a tool: all of it is text. */
const FREE_FORM = new Set([
  "input",
  "arguments",
  "args",
  "tools",
  "parameters",
  "input_schema",
  "schema",
  // A function's or a tool's result, and the fields of a document.
  "response",
  "value",
  "data",
]);
/** Members whose texts content rules read. */
const WRITTEN = new Set([...CONTENT, "instructions", "suffix", "tools", "documents"]);
/** Types of parts that are recordings and films, and the members that hold them. */
const SOUND_TYPES = ["input_audio", "audio_url", "input_video", "video_url"] as const;
/** Types of parts that are documents somewhere else, or whose bytes bound nothing. */
const UNSEEN_TYPES = new Set<unknown>(["document_url", "file_url", "pdf_url"]);
/** Types of parts that are no text. */
const MEDIA_TYPES = new Set([
  "image_url",
  "input_image",
  "image",
  "input_file",
  "file",
  "document",
  ...SOUND_TYPES,
]);

/** Reads what a body holds, at any depth: bytes of text, pictures, recordings, and references to what is elsewhere. */
export function seenInput(body: JsonObject, pictureTokens: number): SeenInput {
  const walk = new Walk(pictureTokens);
  walk.read(body);
  return {
    tokens: walk.tokens,
    unseen: walk.unseen,
    isCostly: walk.isCostly,
    hasLongCache: walk.hasLongCache,
    hasSound: walk.hasSound,
    texts: walk.texts,
  };
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  /** True if it belongs to a picture, a recording or a document. Elsewhere, what looks like one is text. */
  readonly isMedia: boolean;
  /** True if it is below a member whose content is free: nothing in there is read as a picture. */
  readonly isFree: boolean;
}

class Walk {
  readonly #pictureTokens: number;
  tokens = 0;
  unseen: string | null = null;
  isCostly = false;
  hasLongCache = false;
  hasSound = false;
  readonly texts: string[] = [];

  constructor(pictureTokens: number) {
    this.#pictureTokens = pictureTokens;
  }

  read(body: JsonObject): void {
    for (const [name, value] of Object.entries(body)) {
      this.tokens += mostTokensIn(name);
      this.#member(name, value);
    }
  }

  #member(root: string, content: unknown): void {
    const open: Member[] = [{ name: root, value: content, isMedia: false, isFree: false }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { name, value, isMedia, isFree } = next;
      if (Array.isArray(value)) {
        this.#array(name, value);
        for (const item of value) open.push({ name, value: item, isMedia, isFree });
      } else if (isJsonObject(value)) {
        const { type } = value;
        const mayBePart = CONTENT.has(root) && !isFree;
        const isPart = mayBePart && typeof type === "string" && MEDIA_TYPES.has(type);
        this.hasSound ||= mayBePart && SOUND_TYPES.some((sound) => type === sound || sound in value);
        if (mayBePart) this.#elsewhere(value);
        for (const member of this.#object(name, value, isMedia || isPart)) {
          const isFreeBelow = isFree || FREE_FORM.has(member.name);
          open.push({ ...member, isMedia: member.isMedia && !isFreeBelow, isFree: isFreeBelow });
        }
      } else if (typeof value === "string") {
        if (this.#text(name, value, isMedia) && WRITTEN.has(root)) this.texts.push(value);
      }
      // A number, a truth value or null: a few characters in any rendering.
      else this.tokens += 4;
    }
  }

  /** An item that an earlier answer thought is at the provider, unless it brings what was thought. */
  #elsewhere({ type, id, encrypted_content: brought }: JsonObject): void {
    const isStored = type === "reasoning" && typeof id === "string" && typeof brought !== "string";
    if (isStored || UNSEEN_TYPES.has(type)) this.#unseenBy(String(type));
  }

  #array(name: string, items: readonly unknown[]): void {
    if (items.length === 0) return;
    if (NAMES_UNSEEN.has(name)) this.#unseenBy(name);
    if (name === "tools") this.tokens += TOOLS_TOKENS;
  }

  /** Counts what the object is by itself, and returns the members that are left to read. */
  #object(name: string, value: JsonObject, isMedia: boolean): Omit<Member, "isFree">[] {
    if (value["type"] === "item_reference") this.#unseenBy("item_reference");
    if (NAMES_CACHE.has(name)) {
      this.isCostly = true;
      this.hasLongCache ||= !USUAL_CACHE.has(value["ttl"]);
    }
    const isNamed = name === "container" || (NAMES_OF_STORED.has(name) && typeof value["id"] === "string");
    if (isNamed) this.#unseenBy(name);
    const { data, ...others } = value;
    const media = isMedia ? mediaOf(name, others) : null;
    const isInline = media !== null && typeof data === "string";
    if (isInline) this.#inline(media, data);
    return Object.entries(isInline ? others : value).map(([member, content]) => {
      this.tokens += mostTokensIn(member);
      return { name: member, value: content, isMedia };
    });
  }

  #unseenBy(name: string): void {
    this.unseen ??= name;
  }

  /** False if it is a picture, a recording or a document. */
  #text(name: string, text: string, isMedia: boolean): boolean {
    const [, media] =
      isMedia && NAMES_ADDRESS.has(name) ? (DATA_URL.exec(text.slice(0, LONGEST_DATA_PREFIX)) ?? []) : [];
    if (media !== undefined) {
      this.#inline(media, text);
      return false;
    }
    const isAddress = NAMES_ADDRESS.has(name) && HAS_SCHEME.test(text);
    if (isAddress || NAMES_UNSEEN.has(name)) this.#unseenBy(name);
    this.tokens += mostTokensIn(text);
    return true;
  }

  #sound(text: string): void {
    this.tokens += Math.ceil(text.length / SOUND_BYTES_PER_TOKEN);
    this.isCostly = true;
    this.hasSound = true;
  }

  #inline(media: string, text: string): void {
    const [kind] = media.toLowerCase().split("/");
    if (kind === "image") this.tokens += this.#pictureTokens;
    else if (kind === "audio") this.#sound(text);
    else if (kind === "text") this.tokens += mostTokensIn(text);
    else this.#unseenBy("document");
  }
}

/** The kind of what an object holds as its data. Null: text, or nobody knows. */
function mediaOf(name: string, { type, media_type: media }: JsonObject): string | null {
  // A document that is not read by its kind is read as text, whatever kind it names.
  if (type === "text" || name === "document") return null;
  if (typeof media === "string") return media;
  return SOUND_TYPES.some((sound) => sound === name) ? "audio" : null;
}
