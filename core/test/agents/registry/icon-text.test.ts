import assert from "node:assert/strict";
import { maxIconBytes, readIcon } from "../../../src/agents/registry/icon-text.js";

const icon = (inside: string, root = ""): string => `<svg xmlns="http://www.w3.org/2000/svg"${root}>${inside}</svg>`;
const shape = `<path d="M0 0h4" fill="currentColor" stroke="none"/>`;

describe("an icon of a registry", () => {
  it("is an SVG of shapes in the colour of the text", () => {
    assert.equal(readIcon(icon(shape)), icon(shape));
    assert.equal(readIcon(`\uFEFF<?xml version="1.0"?>\n${icon(shape)}\n`), icon(shape));
  });

  it("is nothing that runs, loads, styles or is coloured, and nothing large", () => {
    const others = {
      text: "hello",
      html: `<html>${icon(shape)}</html>`,
      cut: icon(shape).slice(0, -4),
      script: icon(`${shape}<script>alert(1)</script>`),
      handler: icon(shape, ' onload="alert(1)"'),
      foreign: icon(`${shape}<foreignObject/>`),
      picture: icon(`${shape}<image href="https://elsewhere.example/x.png"/>`),
      reference: icon(`${shape}<use href="#x"/>`),
      link: icon(`${shape}<path xlink:href = "x"/>`),
      address: icon(`<path fill="url(https://elsewhere.example)"/>${shape}`),
      style: icon(`<style>path { fill: red }</style>${shape}`),
      attribute: icon(`<path style="fill: red"/>${shape}`),
      entity: `<!DOCTYPE svg [<!ENTITY a "b">]>${icon(shape)}`,
      coloured: icon(`${shape}<path fill="#ff0000"/>`),
      black: icon(`<path d="M0 0"/>`),
      large: icon(shape + " ".repeat(maxIconBytes)),
    };
    for (const [name, text] of Object.entries(others)) assert.equal(readIcon(text), undefined, name);
  });
});
