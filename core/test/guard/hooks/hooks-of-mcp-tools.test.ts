import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import { type HookAnswer, noAnswer } from "../../../src/guard/hooks/hook-answer.js";
import { HookedSession, HookedSessions } from "../../../src/guard/hooks/hooked-session.js";
import { toolHooks } from "../../../src/guard/hooks/tool-hooks.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";

describe("a tool of an MCP server", () => {
  /** Plays a call that PreToolUse hooks judge, and returns the text of the refusal. */
  async function refusal(answer: Promise<HookAnswer>, meanwhile?: (turn: AbortController) => void): Promise<unknown> {
    const [client, successor, sessions] = [new RecordingPeer(), new RecordingPeer(), new HookedSessions()];
    const hooks = { has: () => true, absolute: (path: string) => path, run: () => answer };
    const session = new HookedSession("s", "/w", hooks, client, sessions);
    sessions.add(session);
    const stop = new AbortController();
    session.turns.add({ stop, isSent: true });
    const handlers = toolHooks(sessions).connect({ client, successor, logger: new Logger(() => undefined) });
    const { signal } = new AbortController();
    const refused = handlers.refuseTool?.(
      { server: "docs", originalServer: "docs", tool: "search", arguments: {} },
      { sessionId: "s", cwd: "/w" },
      signal,
    );
    meanwhile?.(stop);
    return refused;
  }

  it("isn't called if a hook stops the agent", async () => {
    const text = await refusal(Promise.resolve({ ...noAnswer, stop: "Build failed." }));
    assert.equal(text, "A hook denies this. Build failed.");
  });

  it("isn't called if the turn ends while hooks run", async () => {
    const text = await refusal(new Promise(() => undefined), (turn) => turn.abort());
    assert.equal(text, "The turn has ended.");
  });

  it("is called if hooks decide nothing", async () => {
    assert.equal(await refusal(Promise.resolve(noAnswer)), undefined);
  });
});
