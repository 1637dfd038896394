import assert from "node:assert/strict";
import type { Command, Members } from "@symposium-dev/core";
import type { ItemOf } from "../../../protocol/index.js";
import type { SignInRequest } from "../../../src/acp/conversation-parts.js";
import { Authentication } from "../../../src/features/authentication/authentication.js";
import { WaitingRequests } from "../../../src/features/permissions/waiting-requests.js";
import { RecordingSession } from "../permissions/recording-session.js";

const command: Command = { command: "symposium-acp-agent", args: ["--verbose"], env: { A: "1" } };

describe("authentication", () => {
  let session: RecordingSession;
  let authentication: Authentication;
  let ran: [name: string, command: Command][];
  let exitCode: number | undefined;
  let authenticated: string[];
  let refusal: Error | undefined;
  let controller: AbortController;

  beforeEach(() => {
    session = new RecordingSession(["/work"]);
    ran = [];
    exitCode = 0;
    authenticated = [];
    refusal = undefined;
    controller = new AbortController();
    authentication = new Authentication({
      waiting: new WaitingRequests(),
      terminal: {
        run: (name, started) => {
          ran.push([name, started]);
          return Promise.resolve(exitCode);
        },
      },
    });
  });

  const request = (methods: readonly Members[], asking = session): SignInRequest => ({
    tabId: asking.tabId,
    agent: asking.agent,
    reason: "Authentication required",
    methods,
    command,
    transcript: asking.transcript,
    publish: (change) => asking.publish(change),
    authenticate: (methodId) => {
      authenticated.push(methodId);
      return refusal ? Promise.reject(refusal) : Promise.resolve();
    },
    signal: controller.signal,
  });
  const card = (): ItemOf<"authentication"> => {
    const [first] = session.itemsOf("authentication");
    assert.ok(first);
    return first;
  };
  const choose = (methodId: string): Promise<void> => authentication.authenticate({ id: card().id, methodId });

  it("shows what the agent offers and lets the agent sign in", async () => {
    const done = authentication.signIn(request([{ id: "key", name: "API key", description: "Needs a key" }, {}]));
    const { id: _id, ...shown } = card();
    assert.deepEqual(shown, {
      kind: "authentication",
      agentName: "Scripted agent",
      reason: "Authentication required",
      methods: [{ id: "key", name: "API key", isTerminal: false, description: "Needs a key" }],
      state: "waiting",
    });
    assert.equal(session.transcript.state.waiting, 1);
    await choose("key");
    assert.deepEqual([await done, authenticated, card().state], [true, ["key"], "done"]);
    assert.equal(session.transcript.state.waiting, 0);
  });

  it("runs the agent's own command with the method's arguments in a terminal", async () => {
    const method = { type: "terminal", id: "login", name: "Log in", args: ["sign-in", "login"], env: { B: "2" } };
    const done = authentication.signIn(request([method]));
    await choose("login");
    assert.equal(await done, true);
    assert.deepEqual(ran, [
      [
        "Sign in to Scripted agent",
        { command: "symposium-acp-agent", args: ["--verbose", "sign-in", "login"], env: { A: "1", B: "2" } },
      ],
    ]);
    assert.deepEqual(authenticated, []);
  });

  it("runs the program that an older agent names", async () => {
    const program = { command: "vibe", args: ["--setup"], label: "Set up" };
    void authentication.signIn(request([{ id: "setup", name: "Set up", _meta: { "terminal-auth": program } }]));
    assert.equal(card().methods[0]?.isTerminal, true);
    await choose("setup");
    assert.deepEqual(ran, [["Sign in to Scripted agent", { command: "vibe", args: ["--setup"], env: {} }]]);
  });

  it("says which variable an older agent wants", () => {
    void authentication.signIn(request([{ type: "env_var", id: "env", name: "Key", varName: "SOME_KEY" }]));
    assert.deepEqual(card().methods, [
      {
        id: "env",
        name: "Key",
        isTerminal: false,
        description: `Set SOME_KEY in the agent's "env" setting and restart the agent.`,
      },
    ]);
  });

  it("leaves the card open after a failure, and takes another try", async () => {
    refusal = new Error("The key is wrong.");
    const done = authentication.signIn(request([{ id: "key", name: "API key" }]));
    await choose("key");
    assert.deepEqual([card().state, card().reason], ["failed", "Authentication required\nThe key is wrong."]);
    refusal = undefined;
    await choose("key");
    assert.equal(await done, true);
  });

  for (const [code, sentence] of [
    [1, "The sign-in command exited with code 1."],
    [undefined, "The terminal was closed."],
  ] as const) {
    it(`is not signed in when the terminal ends with ${String(code)}`, async () => {
      exitCode = code;
      void authentication.signIn(request([{ type: "terminal", id: "login", name: "Log in" }]));
      await choose("login");
      assert.deepEqual([card().state, card().reason], ["failed", `Authentication required\n${sentence}`]);
    });
  }

  it("signs in the other tabs of the agent too", async () => {
    const other = new RecordingSession(["/work"], "session-2", "tab-2");
    const methods = [{ id: "key", name: "API key" }];
    const both = [authentication.signIn(request(methods)), authentication.signIn(request(methods, other))];
    await choose("key");
    assert.deepEqual(await Promise.all(both), [true, true]);
    assert.deepEqual(authenticated, ["key"]);
  });

  it("gives up when the tab is closed", async () => {
    const done = authentication.signIn(request([{ id: "key", name: "API key" }]));
    controller.abort();
    assert.deepEqual([await done, card().state], [false, "over"]);
  });

  it("does not wait where the agent offers nothing", async () => {
    assert.equal(await authentication.signIn(request([])), false);
    assert.equal(session.transcript.state.waiting, 0);
  });
});
