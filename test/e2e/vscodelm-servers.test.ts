import assert from "node:assert/strict";
import { join } from "node:path";
import type { AgentDefinition } from "@symposium-dev/core";
import { Conversation } from "../support/language-model/conversation.js";
import { LmProcess } from "../support/language-model/lm-process.js";
import { repositoryRoot } from "../support/repository.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const clock = { command: "node", args: [join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js")] };
const agent: AgentDefinition = { eliza: { deterministic: true } };

describe("the MCP servers of an editor's settings behind a language model", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();
  const start = (): Promise<LmProcess> => LmProcess.start(scope(), { modelId: "model", agent });

  /** What the agent says of the server's tools, and what a call of one gives. */
  async function answersWith(lm: LmProcess, changes: Parameters<LmProcess["with"]>[0]): Promise<string> {
    const chat = new Conversation(lm.with(changes));
    const { text: tools } = await chat.say("list tools from clock");
    const { text: result } = await chat.say("use tool clock::now with {}");
    return `${tools}\n${result}`;
  }

  it("are its agent's, with its own tools and with the editor's", async () => {
    const lm = await start();
    for (const exposure of ["agent", "hybrid"] as const) {
      assert.match(await answersWith(lm, { exposure, mcpServers: { clock } }), /Tools of clock:[^]*now[^]*noon/);
    }
  });

  it("are not there for a model that works with the editor's tools alone", async () => {
    const lm = await start();
    assert.doesNotMatch(await answersWith(lm, { exposure: "raw", mcpServers: { clock } }), /Tools of clock|noon/);
  });

  it("are left out where they are switched off or meant for other agents", async () => {
    const lm = await start();
    for (const filtered of [
      { ...clock, enabled: false },
      { ...clock, agents: ["claude-code"] },
    ]) {
      assert.doesNotMatch(await answersWith(lm, { mcpServers: { clock: filtered } }), /Tools of clock|noon/);
    }
  });

  it("change for new conversations, and not in the middle of one", async () => {
    const lm = await start();
    const chat = new Conversation(lm.with({ mcpServers: { clock } }));
    assert.match((await chat.say("list tools from clock")).text, /Tools of clock/);
    const without = new Conversation(lm);
    without.messages.push(...chat.messages);
    assert.match((await without.say("use tool clock::now with {}")).text, /noon/);
    assert.doesNotMatch((await new Conversation(lm).say("list tools from clock")).text, /Tools of clock/);
  });
});
