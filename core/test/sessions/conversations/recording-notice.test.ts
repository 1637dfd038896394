import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultNotice, keptNotice } from "../../../src/sessions/conversations/recording-notice.js";
import { SessionFolder } from "../../../src/sessions/conversations/node/session-folder.js";
import { SessionRecorder } from "../../../src/sessions/conversations/session-recorder.js";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../../src/base/rpc/peer.js";
import { defaultConversationSettings } from "../../../src/settings/conversation-settings.js";

describe("the notice of kept conversations", () => {
  let root: string;
  beforeEach(async () => (root = await mkdtemp(join(tmpdir(), "kept-notice-"))));
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** An editor beside a process of ours, and what it was sent, in order: the kinds of updates, and `end` for each turn's. */
  class Editor {
    readonly seen: string[] = [];
    texts = "";
    readonly store: SessionFolder;
    readonly #agent: Peer;

    constructor(
      readonly clientInfo: object,
      keep = true,
      readonly fs: object = { readTextFile: true, writeTextFile: true },
    ) {
      this.store = new SessionFolder({
        folder: join(root, "sessions"),
        settings: () => Promise.resolve({ ...defaultConversationSettings, keep }),
        mask: (text) => text,
      });
      const notice = keptNotice({
        text: "Conversations are kept.",
        tellers: ["teller"],
        isKept: (session) => this.store.isKept(session),
        claim: () => this.store.claimNotice(),
      });
      const client: Peer = {
        request: () => nothingToCancel,
        notify: ({ params }) => {
          const { sessionId, update } = params?.value as { sessionId: string; update: { sessionUpdate: string } };
          this.seen.push(`${sessionId} ${update.sessionUpdate}`);
          this.texts += JSON.stringify(update);
        },
      };
      const recorder = new SessionRecorder(this.store, { agentOf: () => "a" });
      recorder.towardClient(client);
      const agent: Peer = {
        notify: () => undefined,
        request: ({ method, params }, reply) => {
          if (method === "session/new") reply(Outcome.of({ sessionId: params?.object?.["cwd"] }));
          // Ends the turn only after the store has written all earlier messages.
          else if (method === "session/prompt")
            void this.store.settled().then(() => reply(Outcome.of({ stopReason: "end_turn" })));
          else reply(Outcome.of({}));
          return nothingToCancel;
        },
      };
      this.#agent = notice.towardAgent(recorder.towardAgent(agent), client);
    }

    async turns(...sessions: readonly string[]): Promise<void> {
      const { clientInfo, fs } = this;
      const said = { protocolVersion: 1, clientInfo, clientCapabilities: { fs } };
      await ask(this.#agent, Request.of("initialize", said));
      for (const session of sessions) {
        await ask(this.#agent, Request.of("session/new", { cwd: session }));
        await ask(this.#agent, Request.of("session/prompt", { sessionId: session, prompt: [] }));
        this.seen.push("end");
      }
    }

    async leave(): Promise<this> {
      await this.store[Symbol.asyncDispose]();
      return this;
    }
  }

  const editor = { name: "editor", title: "An Editor", version: "1" };

  it("is said within the first turn that is kept, in one of the editors, and never again", async () => {
    const first = new Editor(editor);
    await first.turns("one", "two");
    const next = await new Editor(editor).leave();
    const again = new Editor(editor);
    await again.turns("three");
    await Promise.all([first.leave(), again.leave()]);
    assert.deepEqual(first.seen, ["one agent_message_chunk", "end", "end"]);
    assert.match(first.texts, /Conversations are kept\./);
    assert.deepEqual([next.seen, again.seen], [[], ["end"]]);
  });

  it("is said by one of two processes whose first turns end together", async () => {
    const both = [new Editor(editor), new Editor(editor)];
    await Promise.all(both.map((one, index) => one.turns(`session ${String(index)}`)));
    await Promise.all(both.map((one) => one.leave()));
    assert.equal(both.flatMap(({ seen }) => seen).filter((line) => line.endsWith("chunk")).length, 1);
  });

  it("is left to editors that say it themselves, and kept from programs and where nothing is kept", async () => {
    const others: readonly ConstructorParameters<typeof Editor>[] = [
      [{ name: "teller", title: "It tells" }],
      [{ name: "a-script", version: "1" }],
      [{ name: "a-script", title: "A Script", version: "1" }, true, {}],
      [editor, false],
    ];
    for (const given of others) {
      const one = new Editor(...given);
      await one.turns("one");
      await one.leave();
      assert.deepEqual(one.seen, ["end"]);
    }
    // Nobody has said it until now.
    const person = new Editor(editor);
    await person.turns("one");
    await person.leave();
    assert.deepEqual(person.seen, ["one agent_message_chunk", "end"]);
  });
});

describe("the notice of a conversation that the disk refused", () => {
  it("comes once for each failure, before the answer of its turn", async () => {
    const faults: (string | undefined)[] = [undefined, "ENOSPC: no space left on device", undefined];
    const seen: string[] = [];
    const agent: Peer = {
      notify: () => undefined,
      request: (_, reply) => {
        reply(Outcome.of({ stopReason: "end_turn" }));
        return nothingToCancel;
      },
    };
    const client: Peer = {
      request: () => nothingToCancel,
      notify: ({ params }) => void seen.push(/no space left/.exec(params?.text ?? "")?.[0] ?? "another notice"),
    };
    const editor = faultNotice(() => faults.shift()).towardAgent(agent, client);
    const clientCapabilities = { fs: { readTextFile: true } };
    await ask(editor, Request.of("initialize", { clientInfo: { name: "e", title: "Editor" }, clientCapabilities }));
    for (const turn of ["first", "second", "third"]) {
      await ask(editor, Request.of("session/prompt", { sessionId: "s", prompt: [] }));
      seen.push(turn);
    }
    assert.deepEqual(seen, ["first", "no space left", "second", "third"]);
  });
});
