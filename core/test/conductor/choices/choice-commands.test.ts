import assert from "node:assert/strict";
import { PlayedAgent } from "../chain/chain-fixture.js";
import { ChainsStage, settled } from "./chains-stage.js";

const stopped = { stopReason: "end_turn" };

describe("the slash commands of Chains", () => {
  async function answerTo(text: string, stage = new ChainsStage()): Promise<string> {
    await stage.initialize();
    const { isError, json } = await stage.prompt(await stage.session(), text);
    assert.deepEqual([isError, json.value], [false, stopped]);
    assert.equal(stage.chain(0).received.methods.includes("session/prompt"), false);
    return stage.client.text;
  }

  it("show what this session and new ones have, and where it is written", async () => {
    assert.equal(
      await answerTo("/symposium:config"),
      [
        "- Agent of this session: **Alpha**",
        "- Agent of new sessions: **Alpha**",
        "- Extensions of this session: ferris",
        "- Extensions of new sessions: ferris",
        "- Configuration: `/home/me/.symposium/config.jsonc`",
        "",
        "Change these with `/symposium:agent` and `/symposium:proxies`, or with the selectors of your editor.",
        "",
        "",
      ].join("\n"),
    );
  });

  it("list the agents and the extensions", async () => {
    assert.match(
      await answerTo("/symposium:agent"),
      /^- \*\*alpha\*\* \(Alpha\), used by new sessions: the first\n- \*\*beta\*\* \(Beta\): the second\n/,
    );
    assert.match(await answerTo("/symposium:proxies"), /^- \*\*ferris\*\*, on: knows crates\n/);
  });

  it("choose an agent by its id or its name", async () => {
    for (const name of ["beta", "Beta"]) {
      const stage = new ChainsStage();
      const text = await answerTo(`/symposium:agent ${name}`, stage);
      assert.equal(text, "Done: Beta answers from the next prompt and in new sessions.\n\n");
      assert.deepEqual(stage.saved, [{ kind: "agent", id: "beta" }]);
    }
  });

  it("switch an extension", async () => {
    const stage = new ChainsStage();
    await answerTo("/symposium:proxies ferris off", stage);
    assert.deepEqual(stage.saved, [{ kind: "proxy", id: "ferris", isOn: false }]);
  });

  it("show how the agent of the session is held, and change it", async () => {
    assert.equal(await answerTo("/symposium:guard"), "alpha in /w\n\n");
    assert.equal(await answerTo("/symposium:guard rules"), "alpha in /w: rules\n\n");
    assert.equal(await answerTo("/symposium:guard default"), "alpha in /w: default\n\n");
    assert.equal(
      await answerTo("/symposium:guard sandbox"),
      "The protection level was not changed. There is none here. Install it.\n\n",
    );
    assert.match(await answerTo("/symposium:guard open"), /^Use `sandbox`, `rules`, `off` or `default`/);
  });

  it("name what they would understand", async () => {
    assert.equal(await answerTo("/symposium:agent gamma"), '"gamma" is no agent. There are: `alpha`, `beta`.\n\n');
    assert.equal(await answerTo("/symposium:proxies what on"), '"what" is no extension. There are: `ferris`.\n\n');
    assert.equal(
      await answerTo("/symposium:proxies ferris maybe"),
      "Say `on` or `off`: `/symposium:proxies ferris on`.\n\n",
    );
    assert.equal(
      await answerTo("/symposium:other"),
      "`/symposium:other` isn't a command. Commands: `/symposium:config`, `/symposium:agent`, `/symposium:continue`, `/symposium:proxies`, `/symposium:guard`.\n\n",
    );
  });

  it("leave prompts that only speak of them to the agent", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    await stage.prompt(await stage.session(), "echo type /symposium:config");
    assert.equal(stage.client.text, "type /symposium:config\n");
  });

  it("end as cancelled, with everything as it was, when the turn is", async () => {
    const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ initialize: () => undefined }) } });
    await stage.initialize();
    const sessionId = await stage.session();
    const turn = stage.prompt(sessionId, "/symposium:agent beta");
    await settled();
    stage.notify("session/cancel", { sessionId });
    assert.deepEqual((await turn).json.value, { stopReason: "cancelled" });
    await settled();
    assert.deepEqual([stage.saved, stage.opened.map(({ isDisposed }) => isDisposed)], [[], [false, true]]);
    await stage.prompt(sessionId, "echo still here");
    assert.equal(stage.client.text, "still here\n");
  });

  it("tell whoever holds the agent that the user has cancelled the change", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    const turn = stage.prompt(sessionId, "/symposium:guard off");
    await settled();
    assert.deepEqual(stage.stopped, []);
    stage.notify("session/cancel", { sessionId });
    assert.deepEqual([(await turn).json.value, stage.stopped], [{ stopReason: "cancelled" }, ["off"]]);
    assert.equal(stage.client.text, "");
  });
});
