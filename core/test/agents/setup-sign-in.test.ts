import assert from "node:assert/strict";
import { parseSignIns } from "../../src/conductor/chain/sign-in.js";
import { Json } from "../../src/base/rpc/json.js";
import { Outcome } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { type Answer } from "../../testing/recording-peer.js";
import { received, SetupStage, unanswered } from "./setup-stage.js";

const methods = [
  { id: "oauth", name: "Log in with Beta", description: "Opens a browser" },
  { id: "login", name: "Terminal login", type: "terminal", args: ["login", "--device"] },
  {
    id: "own",
    name: "Own program",
    _meta: { "terminal-auth": { command: "beta-login", args: ["a b"], env: { X: "1" } } },
  },
  { id: "key", name: "API key", description: "Set BETA_KEY", type: "env_var" },
];

const signInList = [
  "How would you like to sign in?",
  "",
  "1. **Log in with Beta**: Opens a browser",
  "2. **Terminal login**",
  "3. **Own program**",
  "4. **API key**: Set BETA_KEY",
  "",
  "Type a number (1-4), `retry` when you have signed in elsewhere, or `back` to choose another agent:\n\n",
].join("\n");

/** A stage whose session waits for the user to sign in to Beta; `gate.isOpen` lets sessions in. */
async function signingIn(
  inner: Readonly<Record<string, Answer>> = {},
): Promise<{ stage: SetupStage; id: string; gate: { isOpen: boolean }; asked: string }> {
  const gate = { isOpen: false };
  const refused = Outcome.error(new RpcError(-32000, "Authentication required"));
  const stage = new SetupStage({
    inner: {
      initialize: { protocolVersion: 1, authMethods: methods },
      "session/new": () => (gate.isOpen ? { sessionId: "inner-1" } : refused),
      authenticate: () => {
        gate.isOpen = true;
        return {};
      },
      ...inner,
    },
  });
  const id = await stage.open();
  const { text } = await stage.answer(id, "2");
  stage.chain.fromClient.received.splice(0);
  return { stage, id, gate, asked: text };
}

describe("signing in to the chosen agent", () => {
  it("lists the agent's methods when it refuses the session", async () => {
    const { asked } = await signingIn();
    assert.equal(asked.endsWith(`Beta asks you to sign in: Authentication required\n\n${signInList}`), true);
  });

  it("authenticates by number, then opens the session once", async () => {
    const { stage, id } = await signingIn();
    assert.deepEqual(await stage.answer(id, "1"), { text: "You are now talking to Beta.\n\n", stopReason: "end_turn" });
    assert.deepEqual(received(stage.chain.fromClient), [
      ["authenticate", { methodId: "oauth" }],
      ["session/new", { cwd: "/work", mcpServers: [] }],
    ]);
  });

  it("asks again, without a loop, when the agent still refuses after authenticate", async () => {
    const { stage, id } = await signingIn({ authenticate: {} });
    assert.deepEqual(await stage.answer(id, "oauth"), {
      text: `Beta still asks you to sign in: Authentication required\n\n${signInList}`,
      stopReason: "end_turn",
    });
    assert.deepEqual(stage.chain.fromClient.methods, ["authenticate", "session/new"]);
  });

  it("says why authenticate failed and asks again", async () => {
    const { stage, id } = await signingIn({ authenticate: Outcome.error(RpcError.internal("no browser")) });
    assert.deepEqual(await stage.answer(id, "1"), {
      text: `Log in with Beta failed: no browser\n\n${signInList}`,
      stopReason: "end_turn",
    });
    assert.deepEqual(stage.chain.fromClient.methods, ["authenticate"]);
  });

  for (const [number, how] of [
    ["2", "Run this in a terminal:\n\n```\nbeta acp login --device\n```"],
    ["3", "Run this in a terminal:\n\n```\nX=1 beta-login 'a b'\n```"],
    ["4", "API key must be set up outside Symposium: Set BETA_KEY"],
  ] as const) {
    it(`says what to do outside for method ${number}, and goes on after retry`, async () => {
      const { stage, id, gate } = await signingIn();
      assert.deepEqual(await stage.answer(id, number), {
        text: `${how}\n\nThen type \`retry\`. Type \`back\` to choose another agent.\n\n`,
        stopReason: "end_turn",
      });
      gate.isOpen = true;
      assert.equal((await stage.answer(id, "retry")).text, "You are now talking to Beta.\n\n");
      assert.deepEqual(stage.chain.fromClient.methods, ["session/new"]);
    });
  }

  for (const [text, why] of [
    ["5", "5 isn't in the list. Choose a number from 1 to 4."],
    ["hello", "Beta answers once you have signed in."],
  ] as const) {
    it(`asks again after ${JSON.stringify(text)} without asking the agent`, async () => {
      const { stage, id } = await signingIn();
      assert.equal((await stage.answer(id, text)).text, `${why}\n\n${signInList}`);
      assert.deepEqual(stage.chain.fromClient.methods, []);
    });
  }

  it("goes back to the agents, stops this one and keeps what was saved", async () => {
    const { stage, id, gate } = await signingIn();
    const { chain } = stage;
    const back = await stage.answer(id, "back");
    assert.equal(back.text.startsWith("The saved configuration is unchanged until you choose another agent."), true);
    assert.equal(back.text.includes("1. **Alpha Agent**"), true);
    assert.equal(chain.isDisposed, true);
    gate.isOpen = true;
    await stage.answer(id, "1");
    assert.deepEqual([stage.saved, stage.chain.chosen?.id], [["beta acp", "npx -y alpha"], "alpha"]);
  });

  it("names another way when the agent offers none", async () => {
    const { asked } = await signingIn({ initialize: { protocolVersion: 1, authMethods: [] } });
    assert.equal(
      asked.endsWith(
        "Beta asks you to sign in: Authentication required\n\nYou can't sign in from here. Sign in with the agent's own command in a terminal, then type `retry`. Type `back` to choose another agent.\n\n",
      ),
      true,
    );
  });

  it("cancels authenticate at the agent and keeps the question", async () => {
    const { stage, id } = await signingIn({ authenticate: unanswered });
    const turn = stage.prompt(id, "1");
    await stage.chain.fromClient.waitFor("authenticate");
    stage.notify("session/cancel", { sessionId: id });
    assert.deepEqual((await turn).json.value, { stopReason: "cancelled" });
    assert.equal(stage.chain.fromClient.received.at(-1)?.kind, "cancel");
    assert.equal((await stage.answer(id, "hello")).text, `Beta answers once you have signed in.\n\n${signInList}`);
  });

  it("lets a second session in with its prompt once the first has signed in, and does not go back there", async () => {
    const { stage, id } = await signingIn({ authenticate: {} });
    const second = await stage.open();
    await stage.answer(second, "work");
    await stage.answer(id, "1");
    const { text } = await stage.answer(second, "work");
    assert.equal(text, `Beta answers once you have signed in.\n\n${signInList}`);
    const other = await signingIn();
    const waiting = await other.stage.open();
    await other.stage.answer(waiting, "work");
    await other.stage.answer(id, "1");
    await other.stage.answer(other.id, "1");
    other.gate.isOpen = false;
    assert.equal(
      (await other.stage.answer(waiting, "back")).text,
      `Beta is in use by another session.\n\n${signInList}`,
    );
    other.gate.isOpen = true;
    assert.deepEqual(await other.stage.answer(waiting, "work"), { text: "", stopReason: "end_turn" });
    assert.equal(other.stage.chain.fromClient.methods.at(-1), "session/prompt");
  });

  it("takes no answer for another list when the agent ends while the user signs in", async () => {
    const { stage, id } = await signingIn();
    stage.chain.fail('The agent "beta" exited with code 1.');
    await stage.chain.failed;
    const { text } = await stage.answer(id, "1");
    assert.equal(
      text.startsWith(
        'Beta is no longer running: The agent "beta" exited with code 1.\n\nType `retry` to start it again, or choose an agent.\n\nWhich agent',
      ),
      true,
    );
    assert.deepEqual(stage.saved, ["beta acp"]);
  });
});

describe("parseSignIns", () => {
  it("reads every kind of method and leaves out what has no id", () => {
    assert.deepEqual(
      parseSignIns(Json.of({ authMethods: [...methods, { name: "x" }, 7, { id: "bare", args: ["a", 1] }] })),
      [
        { id: "oauth", name: "Log in with Beta", description: "Opens a browser", kind: "agent", args: [], env: {} },
        { id: "login", name: "Terminal login", kind: "terminal", args: ["login", "--device"], env: {} },
        {
          id: "own",
          name: "Own program",
          kind: "terminal",
          args: ["a b"],
          env: { X: "1" },
          commandLine: "X=1 beta-login 'a b'",
        },
        { id: "key", name: "API key", description: "Set BETA_KEY", kind: "outside", args: [], env: {} },
        { id: "bare", name: "bare", kind: "agent", args: ["a"], env: {} },
      ],
    );
  });

  it("finds none where there is no list", () => {
    assert.deepEqual([parseSignIns(Json.null), parseSignIns(Json.of({ authMethods: {} }))], [[], []]);
  });
});
