import assert from "node:assert/strict";
import { type Command, type ContextResult, newTabState } from "../../../protocol/index.js";
import { droppedUris } from "../../../webview/chat/composer/read-attachments.js";
import {
  findHint,
  findTrigger,
  placeholder,
  PromptHistory,
  replaceTrigger,
} from "../../../webview/chat/composer/prompt-text.js";
import { toCommandSuggestions, toContextSuggestions } from "../../../webview/chat/composer/suggestion-menu.js";

const commands: Command[] = [
  { name: "review", description: "Look at the changes", hint: "branch" },
  { name: "compact", description: "Shorten the conversation" },
];

describe("the empty prompt field", () => {
  it("names commands only where the agent has some", () => {
    const state = { ...newTabState({ id: "eliza", name: "Eliza" }), phase: "ready" as const };
    assert.deepEqual(
      [undefined, state, { ...state, commands }].map((one) => placeholder(one, "Eliza", 0)),
      ["Ask Eliza: @ for context", "Ask Eliza: @ for context", "Ask Eliza: @ for context, / for commands"],
    );
  });
});

describe("words that open a menu", () => {
  const find = (text: string): string => {
    const caret = text.indexOf("|");
    const trigger = findTrigger(text.replace("|", ""), caret);
    return trigger === undefined ? "none" : `${trigger.kind} ${trigger.start} "${trigger.query}"`;
  };

  it("begin with @ or / at the start of a word, anywhere in the text", () => {
    assert.deepEqual(["@|", "see @src/a|", "(@a|", "/re|", "please /re|view", "first\n/|", "@größe|"].map(find), [
      'context 0 ""',
      'context 4 "src/a"',
      'context 1 "a"',
      'command 0 "re"',
      'command 7 "re"',
      'command 6 ""',
      'context 0 "größe"',
    ]);
  });

  it("are no mail addresses, paths, fractions or finished words", () => {
    assert.deepEqual(["me@example|", "/usr/bin|", "1/2|", "and/or|", "@a b|", "|@a"].map(find), [
      "none",
      "none",
      "none",
      "none",
      "none",
      "none",
    ]);
  });

  it("are replaced up to the caret, with one space behind", () => {
    const trigger = { kind: "context", start: 4, query: "co" } as const;
    assert.deepEqual(replaceTrigger("see @co", trigger, "@composer.ts"), { text: "see @composer.ts ", caret: 17 });
    assert.deepEqual(replaceTrigger("see @co now", trigger, "@composer.ts"), {
      text: "see @composer.ts now",
      caret: 17,
    });
  });
});

describe("suggestions", () => {
  it("stand together by category and mark the letters that fit", () => {
    const results: ContextResult[] = [
      { attachment: { type: "file", uri: "file:///a", label: "a.ts" }, icon: "file", detail: "src" },
      { attachment: { type: "folder", uri: "file:///b", label: "a" }, icon: "folder" },
      { attachment: { type: "file", uri: "file:///c", label: "ba.ts" }, icon: "file" },
    ];
    const lines = toContextSuggestions(results, "a");
    assert.deepEqual(
      lines.map(({ group, label, detail, matches }) => [group, label, detail, [...matches]]),
      [
        ["Files", "a.ts", "src", [0]],
        ["Files", "ba.ts", "", [1]],
        ["Folders", "a", "", [0]],
      ],
    );
  });

  it("find commands by name first, then by description", () => {
    const find = (query: string): string[] => toCommandSuggestions(commands, query).map(({ label }) => label);
    assert.deepEqual(
      [find(""), find("rvw"), find("conversation"), find("zzz")],
      [["/review", "/compact"], ["/review"], ["/compact"], []],
    );
  });

  it("leave the hint of a command where its input goes, until there is input", () => {
    assert.deepEqual(
      ["/review ", "/review m", "/review", "/compact ", "/none "].map((text) => findHint(text, commands)),
      ["branch", "", "", "", ""],
    );
  });
});

describe("the history of prompts", () => {
  it("goes back and forth and ends with what was being written", () => {
    const history = new PromptHistory();
    history.set(["one", "two", "two"]);
    const walk = [
      history.previous("draft"),
      history.previous("x"),
      history.previous("x"),
      history.next(),
      history.next(),
      history.next(),
    ];
    assert.deepEqual(walk, ["two", "one", undefined, "two", "draft", undefined]);
  });

  it("keeps its place while new prompts come in", () => {
    const history = new PromptHistory();
    history.set(["one", "two"]);
    history.previous("");
    history.set(["one", "two", "three"]);
    assert.equal(history.previous(""), "one");
  });
});

describe("what is dropped", () => {
  const drop = (types: Readonly<Record<string, string>>): string[] =>
    droppedUris({ getData: (type) => types[type] ?? "" });

  it("is a list of URIs, the editor's own list before the general one, without comments and repetitions", () => {
    assert.deepEqual(drop({ "text/uri-list": "# two\r\nfile:///a\r\nfile:///b\r\nfile:///a\r\n" }), [
      "file:///a",
      "file:///b",
    ]);
    assert.deepEqual(drop({ "application/vnd.code.uri-list": "vscode-remote://x/a", "text/uri-list": "file:///b" }), [
      "vscode-remote://x/a",
    ]);
  });

  it("is nothing when it is text", () => {
    assert.deepEqual(drop({ "text/plain": "file:///a" }), []);
  });
});
