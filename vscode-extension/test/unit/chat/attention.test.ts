import * as l10n from "@vscode/l10n";
import assert from "node:assert/strict";
import { Attention } from "../../../src/features/chat/attention.js";

/** Reports three turn ends and a question. Returns the notifications, and the tabs shown when the user follows these. */
async function told(window: { isFocused: boolean; isWanted: boolean }): Promise<{ texts: string[]; shown: string[] }> {
  const texts: string[] = [];
  const shown: string[] = [];
  const attention = new Attention({
    isFocused: () => window.isFocused,
    isWanted: () => window.isWanted,
    notify: (text) => {
      texts.push(text);
      return Promise.resolve(true);
    },
    show: (tabId) => Promise.resolve(void shown.push(tabId)),
  });
  attention.turnEnded("one", "Claude", "Fix the tests", "end_turn");
  attention.turnEnded("one", "Claude", "Fix the tests", "cancelled");
  attention.turnEnded("two", "Codex", "Explain", "error");
  attention.asked("two", "Codex", "Run npm test");
  await new Promise((resolve) => setImmediate(resolve));
  return { texts, shown };
}

describe("notifications", () => {
  it("tell in the background how a turn ended and what an agent asks, and lead to the tab", async () => {
    assert.deepEqual(await told({ isFocused: false, isWanted: true }), {
      texts: ["Claude has answered: Fix the tests", "Codex has failed: Explain", "Codex asks: Run npm test"],
      shown: ["one", "two", "two"],
    });
  });

  it("are whole sentences in the user's language", async () => {
    const contents = {
      "{0} has answered: {1}": "{1}: Antwort von {0}",
      "{0} has failed: {1}": "{1}: Fehler von {0}",
      "{0} asks: {1}": "{1}: Frage von {0}",
    };
    l10n.config({ contents });
    try {
      const { texts } = await told({ isFocused: false, isWanted: true });
      assert.deepEqual(texts, [
        "Fix the tests: Antwort von Claude",
        "Explain: Fehler von Codex",
        "Run npm test: Frage von Codex",
      ]);
    } finally {
      l10n.config({ contents: {} });
    }
  });

  it("leave a window alone that the user looks at, or who does not want them", async () => {
    const nothing = { texts: [], shown: [] };
    assert.deepEqual(await told({ isFocused: true, isWanted: true }), nothing);
    assert.deepEqual(await told({ isFocused: false, isWanted: false }), nothing);
  });
});
