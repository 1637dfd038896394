import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { releaseScript, zedExtension } from "./release-scripts.js";

const { iconProblems } = await releaseScript<{ iconProblems: (text: string) => readonly string[] }>("icon-checks.mjs");

const path = `<path fill="currentColor" d="M0 0h16v16H0z"/>`;

function svg(content: string, attributes = `width="16" height="16"`): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`;
}

describe("the registry's icon", () => {
  it("passes the registry's checks", () => {
    assert.deepEqual(iconProblems(readFileSync(new URL("registry/icon.svg", zedExtension), "utf8")), []);
  });
});

describe("the registry's checks of an icon", () => {
  it("accept a size of the view box alone, a declaration, and no paint", () => {
    const content = `<g style="fill: none; stroke: inherit">${path}</g>`;
    assert.deepEqual(iconProblems(`<?xml version="1.0"?>\n${svg(content, `viewBox="0 0 16 16"`)}\n`), []);
  });

  const refused: readonly [string, string, string][] = [
    ["a comment", svg(`<!-- x -->${path}`), "The icon has a comment."],
    ["another root", "<g></g>", "The icon's root is no <svg>."],
    ["another size", svg(path, `width="24" height="24"`), "The icon is not 16 by 16."],
    ["a view box that is no square", svg(path, `viewBox="0 0 16 17"`), "The icon is not 16 by 16."],
    ["an element that stays open", svg(`<g>${path}`), "</svg> closes nothing."],
    ["two roots", svg(path) + svg(path), "The icon has two roots."],
    ["what is no XML", svg(path).replace("fill=", "fill"), "The icon is no XML"],
    ["a colour", svg(`${path}<path fill="#f00"/>`), "The icon is painted in #f00"],
    ["a colour in a declaration", svg(`${path}<path style="stroke:red"/>`), "The icon is painted in red"],
    ["a colour in a sheet", svg(`<style>path { fill: blue }</style>${path}`), "The icon is painted in blue"],
    ["an icon that takes no colour", svg(`<path fill="none"/>`), "Nothing of the icon has currentColor."],
  ];
  for (const [what, text, problem] of refused) {
    it(`refuse ${what}`, () => {
      const [first = ""] = iconProblems(text);
      assert.equal(first.slice(0, problem.length), problem);
    });
  }
});
