import type { NameOf } from "../names.ts";
import { ownPageOf } from "./links.ts";

/** Something by its name, with the id below it. It is linked if it has a page. */
export function Ref({ id, nameOf }: { id: string; nameOf: NameOf }) {
  const name = nameOf(id);
  const href = ownPageOf(id);
  const shown = name === id ? <code>{id}</code> : name;
  return (
    <>
      {href === null ? shown : <a href={href}>{shown}</a>}
      {name !== id && <Id of={id} />}
    </>
  );
}

/** An id on one line. It is cut to the eye, and copied and shown on hover as a whole. */
export function Id({ of }: { of: string }) {
  return (
    <code class="sub id" title={of}>
      {of}
    </code>
  );
}
