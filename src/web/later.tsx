import { type Child, createContext, useContext } from "hono/jsx";
import { html, raw } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import { PageAddressContext } from "./console/view/table-order.ts";

/** Reads a part of a page. */
type Read = () => Promise<JSX.Element>;

/** The parts that the page which is drawn reads later, in its order. */
const LaterParts = createContext<Read[] | null>(null);

/** Stands where a part comes later. Nothing else draws a comment: text is escaped. */
const GAP = "<!--later-->";

/**
 * A part of a page that takes long to read. Everything before it is sent first, with the status of the page. If the part
 * cannot be read, an error is shown in its place.
 */
export function Later({ read }: { readonly read: () => Promise<Child> }) {
  const address = useContext(PageAddressContext);
  const parts = useContext(LaterParts);
  if (parts === null) throw new Error("a part that comes later was drawn outside of a page");
  parts.push(async () => {
    const part = await read();
    return <PageAddressContext.Provider value={address}>{part}</PageAddressContext.Provider>;
  });
  return raw(GAP);
}

/** A page as text, split where later parts belong, and the reads of those parts. */
interface Drawn {
  readonly texts: readonly string[];
  readonly reads: readonly Read[];
}

export function draw(page: JSX.Element): Drawn {
  const reads: Read[] = [];
  // No component is asynchronous, so the result is already text.
  const text = html`${<LaterParts.Provider value={reads}>{page}</LaterParts.Provider>}` as string;
  return { texts: text.split(GAP), reads };
}

/** Streams a page. Its parts are read as soon as the text before the first of them was sent. */
export function streamOf(drawn: Drawn, failed: (error: unknown) => JSX.Element): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const texts = textsOf(drawn, failed);
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await texts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
    },
    { highWaterMark: 0 },
  );
}

async function* textsOf(
  { texts: [start = "", ...rest], reads }: Drawn,
  failed: (error: unknown) => JSX.Element,
): AsyncGenerator<string, void> {
  yield start;
  // They are read together, and sent in the order of the page.
  const parts = reads.map(async (read) =>
    read()
      .then(draw)
      .catch((error: unknown) => draw(failed(error))),
  );
  for (const [at, after] of rest.entries()) {
    const part = await parts[at];
    if (part !== undefined) yield* textsOf(part, failed);
    yield after;
  }
}
