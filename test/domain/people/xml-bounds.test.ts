import {
  type Arbitrary,
  array,
  assert,
  constant,
  constantFrom,
  integer,
  property,
  record,
  string,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { xmlExcess } from "../../../src/domain/people/xml-bounds.ts";

interface Tree {
  readonly attributes: readonly string[];
  readonly children: readonly Tree[];
}

const someAttributes = array(
  string({ maxLength: 12 }).map((text) => text.replaceAll(/["<&]/g, ">")),
  { maxLength: 20 },
);
const leaf = record({ attributes: someAttributes, children: constant([]) });
const above = (inner: Arbitrary<Tree>): Arbitrary<Tree> =>
  record({ attributes: someAttributes, children: array(inner, { maxLength: 4 }) });
const tree = above(above(leaf));

function write({ attributes, children }: Tree): string {
  const written = attributes.map((value, n) => ` a${n}="${value}"`).join("");
  const inside = children.map(write).join("'\">");
  return inside === "" ? `<e${written}/>` : `<e${written}>${inside}</e>`;
}

const all = (of: Tree): readonly Tree[] => [of, ...of.children.flatMap(all)];

describe("XML is measured before it is parsed", () => {
  test("a text within the bounds passes, and one with too many attributes does not", () => {
    assert(
      property(tree, (of) => {
        const most = Math.max(...all(of).map(({ attributes }) => attributes.length));
        const fits = most <= 16;
        expect(xmlExcess(write(of))).toBe(fits ? null : "attributes");
      }),
    );
  });

  test("elements, depth and attributes are each allowed up to their bound and not beyond", () => {
    const nested = (n: number) => "<a>".repeat(n) + "</a>".repeat(n);
    const wide = (n: number) => `<a${" b='>'".repeat(n)}/>`;
    expect(xmlExcess(`<r>${"<a/>".repeat(399)}</r>`)).toBeNull();
    expect(xmlExcess(`<r>${"<a/>".repeat(400)}</r>`)).toBe("elements");
    expect([xmlExcess(nested(16)), xmlExcess(nested(17))]).toEqual([null, "depth"]);
    expect([xmlExcess(wide(16)), xmlExcess(wide(17))]).toEqual([null, "attributes"]);
    expect([xmlExcess(wide(12).repeat(100)), xmlExcess(wide(12).repeat(101))]).toEqual([null, "attributes"]);
    expect([4_095, 4_096].map((n) => xmlExcess(`<a b="${"x".repeat(n)}"/>`))).toEqual([null, "value"]);
  });

  test.each(["<!DOCTYPE x>", "<!ENTITY e 'x'>", "<!-- -->", "<![CDATA[x]]>", "<?xml?>", "<?php ?>"])(
    "%s is refused anywhere",
    (markup) => {
      for (const xml of [markup, `<r>${markup}</r>`, `<r/>${markup}`]) expect(xmlExcess(xml)).toBe("markup");
    },
  );

  test("only character references are allowed", () => {
    expect(xmlExcess("<a b='&quot;&#38;'>&amp;&lt;&gt;&apos;&#x1F600;</a>")).toBeNull();
    for (const reference of ["&lol;", "&", "&amp", "&;", "&#;", "&#xG;", "&#99999999;", "&AMP;"]) {
      expect([reference, xmlExcess(`<a>${reference}</a>`)]).toEqual([reference, "entity"]);
      expect([reference, xmlExcess(`<a b="${reference}"/>`)]).toEqual([reference, "entity"]);
    }
  });

  /** Of the process: what others do on the machine does not count. */
  const computedMs = () => process.cpuUsage().user / 1000;

  test("it ends quickly on any text", () => {
    const piece = constantFrom("<", ">", "/", '"', "'", "&", "a", " ", "=", "<a", "</a>", "<!", "&amp;");
    assert(
      property(array(piece, { maxLength: 40 }), integer({ min: 1, max: 400 }), (pieces, times) => {
        const before = computedMs();
        xmlExcess(pieces.join("").repeat(times));
        expect(computedMs() - before).toBeLessThan(1_000);
      }),
    );
  });
});
