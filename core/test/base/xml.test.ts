import assert from "node:assert/strict";
import { childOf, childrenOf, childText, parseXml } from "../../src/base/xml.js";

describe("an XML document", () => {
  it("has elements, attributes and text, with entities, CDATA and without prefixes", () => {
    const root = parseXml(
      `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><m:a xmlns:m="u" k='1 &lt; "2" > 0'><!-- <b/> --><b>x &amp; &#65;&#x42;</b><b><![CDATA[<raw> &amp;]]></b><c/></m:a>`,
    );
    assert.equal(root?.name, "a");
    assert.equal(root.attributes.get("k"), '1 < "2" > 0');
    assert.deepEqual(
      childrenOf(root, "b").map(({ text }) => text),
      ["x & AB", "<raw> &amp;"],
    );
    assert.equal(childText(root, "c"), undefined);
    assert.equal(childOf(root, "c")?.children.length, 0);
  });

  it("leaves entities of its own as they are written", () => {
    const bomb = `<!DOCTYPE a [<!ENTITY x "${"y".repeat(100)}"><!ENTITY z "&x;&x;"><!ENTITY f SYSTEM "file:///etc/passwd">]><a>&z;&f;</a>`;
    assert.equal(parseXml(bomb)?.text, "&z;&f;");
  });

  for (const [what, text] of [
    ["is cut off", "<a><b>"],
    ["closes what is not open", "<a></b></a>"],
    ["has no element", "hello"],
    ["ends in a comment", "<a><!-- </a>"],
    ["is nested without end", "<a>".repeat(100_000)],
  ] as const) {
    it(`is none where it ${what}`, () => assert.equal(parseXml(text), undefined));
  }

  it("is read in one pass, whatever stands in a tag", () => {
    const begun = performance.now();
    assert.equal(parseXml(`<a ${"b".repeat(2_000_000)}></a>`)?.attributes.size, 0);
    assert.equal(parseXml(`<a ${"b ".repeat(1_000_000)}></a>`)?.attributes.size, 0);
    assert.ok(performance.now() - begun < 20_000);
  });
});
