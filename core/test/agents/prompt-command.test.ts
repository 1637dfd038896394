import assert from "node:assert/strict";
import { parsePromptCommand } from "../../src/agents/eliza/prompt-command.js";

describe("parsePromptCommand", () => {
  const readable: [text: string, command: unknown][] = [
    [" /help\n", { kind: "help" }],
    ["/tools", { kind: "list-tools", server: undefined }],
    ["/TOOLS my server", { kind: "list-tools", server: "my server" }],
    ["LIST  tools from 'a.b'", { kind: "list-tools", server: "a.b" }],
    ["use tool a::b", { kind: "use-tool", server: "a", tool: "b", args: {} }],
    [
      'USE TOOL my server::b/c With {"x": [1,\n2]}',
      { kind: "use-tool", server: "my server", tool: "b/c", args: { x: [1, 2] } },
    ],
    ['use tool a::b with{"x":"::"}', { kind: "use-tool", server: "a", tool: "b", args: { x: "::" } }],
    ["ask permission", { kind: "ask-permission", purpose: undefined }],
    ["Ask permission to go.", { kind: "ask-permission", purpose: "go" }],
  ];
  for (const [text, command] of readable) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parsePromptCommand(text), command);
    });
  }

  for (const text of ["use tool", "use tool echo with {}", "use tool a::b with 7", "use tool a::b with {"]) {
    it(`explains what is wrong with ${JSON.stringify(text)}`, () => {
      assert.equal(parsePromptCommand(text)?.kind, "unreadable");
    });
  }

  for (const text of ["hello", "I ask permission to go", "the tools", "/helpless", "use toolbox a::b", "list tools"]) {
    it(`leaves ${JSON.stringify(text)} to talk`, () => {
      assert.equal(parsePromptCommand(text), undefined);
    });
  }
});
