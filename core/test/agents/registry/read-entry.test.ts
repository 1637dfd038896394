import assert from "node:assert/strict";
import { readEntryText, readPublishedText } from "../../../src/agents/registry/read-entry.js";

const npx = { npx: { package: "x", env: { PATH: "/bin", MODE: "acp" } } };

describe("readEntryText", () => {
  it("tells ids, addresses, entries and programs apart", () => {
    const program = `{ "name": "P", "command": "p", "args": ["a"], "env": [{ "name": "A", "value": "1" }] }`;
    assert.deepEqual(
      [" gemini ", "https://a.example/extension.json", `{"id":"x","distribution":${JSON.stringify(npx)}}`, program].map(
        (text) => readEntryText(text),
      ),
      [
        { kind: "id", id: "gemini" },
        { kind: "address", address: "https://a.example/extension.json" },
        { kind: "entry", entry: { id: "x", name: "x", distribution: npx, origin: "custom" } },
        { kind: "command", name: "P", command: { command: "p", args: ["a"], env: { A: "1" } } },
      ],
    );
  });

  it("treats an entry that was taken over from a registry like a published one", () => {
    const text = JSON.stringify({ id: "x", _source: "registry", distribution: npx });
    assert.deepEqual(readEntryText(text), {
      kind: "entry",
      entry: { id: "x", name: "x", distribution: { npx: { package: "x", env: { MODE: "acp" } } }, origin: "registry" },
    });
  });

  const faults = [
    ["", "The text is empty."],
    ["{", "A closing } is missing before this."],
    ["{}", "The JSON names neither a program to start nor a way to install one."],
    [`{"distribution":{"npx":{"package":"x"}}}`, '"id" is missing.'],
    [`{"id":"x","distribution":{"npx":{}}}`, '"distribution.npx.package" is missing.'],
    [`{"command":7}`, '"command" must be non-empty text, got 7.'],
  ] as const;
  for (const [text, message] of faults) {
    it(`says of ${JSON.stringify(text)} what is wrong`, () => {
      const request = readEntryText(text);
      assert.equal(request.kind === "problem" ? request.message : request.kind, message);
    });
  }
});

describe("readPublishedText", () => {
  it("reads a description with comments", () => {
    const text = `\uFEFF// An extension\n{ "id": "x", "version": "1", "distribution": { "cargo": { "crate": "x" }, }, }`;
    assert.deepEqual(readPublishedText(text), {
      id: "x",
      name: "x",
      version: "1",
      distribution: { cargo: { crate: "x" } },
      origin: "registry",
    });
  });

  for (const [text, reason] of [
    ["<html>", /^This isn't valid JSON/],
    ["", /^The value must be an object/],
    [`{"id":"x","distribution":{}}`, /has no supported way to start/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const entry = readPublishedText(text);
      assert.ok("kind" in entry);
      assert.match(entry.message, reason);
    });
  }
});
