import assert from "node:assert/strict";
import { commandTab } from "../../../src/features/chat/command-tab.js";

describe("the tab that a command is about", () => {
  const lastUsed = { selected: "last used" };
  const given = (argument: unknown, active?: string): string | undefined => commandTab(argument, lastUsed, { active });

  it("is the one that it names, and else the one that the user was in last", () => {
    assert.deepEqual(
      [
        given("a", "active"),
        given({ tabId: "b", webview: "symposium.chatView" }, "active"),
        given(undefined, "active"),
      ],
      ["a", "b", "last used"],
    );
  });

  it("is that of the active editor for one in the title of an editor, whose address names no tab", () => {
    const title = { scheme: "webview-panel", path: "webview-panel/webview-1" };
    assert.deepEqual([given(title, "active"), given(title)], ["active", undefined]);
  });
});
