import assert from "node:assert/strict";
import { type ItemOf, newTabState } from "../../../protocol/index.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { SandboxOffer } from "../../../src/features/guard/sandbox-offer.js";

describe("the card that offers the sandbox", () => {
  let words: string[][];
  let done: unknown[];
  let sandbox: { id: string; name: string } | null;
  let refusal: string | undefined;
  let isDecided: boolean;
  let closed: readonly string[];
  let offer: SandboxOffer;
  beforeEach(() => {
    [words, done, sandbox, refusal, isDecided] = [[], [], { id: "codex", name: "Codex" }, undefined, false];
    closed = [];
    offer = new SandboxOffer({
      commandLine: {
        json: (args, parser, options) => {
          words.push([...args]);
          done.push(options?.cwd);
          const parsed = parser.safeParse({ sandbox });
          return parsed.success ? Promise.resolve(parsed.data) : Promise.reject(new Error("not as expected"));
        },
        run: (args) => {
          words.push([...args]);
          return refusal === undefined ? Promise.resolve("") : Promise.reject(new Error(refusal));
        },
      },
      specOf: (id) => Promise.resolve(id === "codex" ? "codex-acp --fast" : undefined),
      isOpen: (tabId) => !closed.includes(tabId),
      isDecided: () => isDecided,
      levelChanged: (spec) => done.push(["levelChanged", spec]),
      showGuard: () => Promise.resolve(void done.push("showGuard")),
      say: (message) => done.push(["say", message]),
      failed: (reason) => done.push(["failed", reason]),
    });
  });

  /** A tab whose agent has answered. */
  function tabOf(id = "codex", tabId = "tab") {
    const state = newTabState({ id, name: "Codex" });
    const transcript = new TabTranscript({ state, items: [], byId: new Map(), terminals: new Map() });
    return {
      tabId,
      state,
      transcript,
      conversation: { roots: ["/project"] },
      notice: (notice: Omit<ItemOf<"notice">, "kind">) =>
        transcript.publish({ op: "put", item: { kind: "notice", ...notice } }),
      get cards() {
        return transcript.transcript.items.flatMap((item) =>
          item.kind === "notice" ? [[item.title, ...item.actions.map(({ label }) => label)]] : [],
        );
      },
    };
  }
  const asked = ["guard", "offer", "--editor", "--json", "--", "codex-acp --fast"];
  const card = ["Codex could run in a sandbox", "Use the sandbox", "Not now", "What is it?"];

  it("comes after a turn, where the command says so, which is asked once a window", async () => {
    const [first, second] = [tabOf(), tabOf()];
    await offer.turnEnded(first);
    await offer.turnEnded(second);
    assert.deepEqual([first.cards, second.cards], [[card], []]);
    assert.deepEqual([words, done], [[asked], ["/project"]]);
  });

  it("comes in the next tab where its own was closed meanwhile, since nobody has seen it", async () => {
    const [gone, next] = [tabOf("codex", "gone"), tabOf("codex", "next")];
    const ended = offer.turnEnded(gone);
    closed = ["gone"];
    await ended;
    assert.deepEqual([gone.cards, words], [[], [asked, ["guard", "offer", "--not-shown", "--", "codex-acp --fast"]]]);
    await offer.turnEnded(next);
    assert.deepEqual([next.cards, words.slice(2)], [[card], [asked]]);
  });

  it("does not come where another window or editor had it, nor for an agent that is gone", async () => {
    sandbox = null;
    const [one, gone] = [tabOf(), tabOf("gone")];
    await offer.turnEnded(one);
    await offer.turnEnded(gone);
    assert.deepEqual([one.cards, gone.cards, words], [[], [], [asked]]);
  });

  it("does not come, and asks nothing, where the user's own arguments say how agents are held", async () => {
    isDecided = true;
    await offer.turnEnded(tabOf());
    assert.deepEqual(words, []);
  });

  it("has the agent run in a sandbox from its next start on, and says so", async () => {
    const tab = tabOf();
    await offer.turnEnded(tab);
    assert.equal(await offer.act(tab, "use-sandbox"), true);
    assert.deepEqual(words.slice(1), [["guard", "level", "--", "codex-acp --fast", "sandbox"]]);
    assert.deepEqual(done.slice(1), [["levelChanged", "codex-acp --fast"]]);
    assert.deepEqual(tab.cards, [["Codex will run in a sandbox from its next start", "Open Guard Page"]]);
  });

  it("stays, and says why, where that could not be written", async () => {
    const tab = tabOf();
    await offer.turnEnded(tab);
    refusal = "There is no sandbox here.";
    await offer.act(tab, "use-sandbox");
    assert.deepEqual(done.slice(1), [["say", "There is no sandbox here."]]);
    assert.deepEqual(tab.cards, [card]);
  });

  it("goes without a change when it is not wanted, and leads to the page", async () => {
    const tab = tabOf();
    await offer.turnEnded(tab);
    await offer.act(tab, "about-sandbox");
    assert.deepEqual([done.slice(1), tab.cards], [["showGuard"], [card]]);
    await offer.act(tab, "no-sandbox");
    assert.deepEqual([words, tab.cards], [[asked], []]);
    assert.equal(await offer.act(tab, "restart"), false);
  });
});
