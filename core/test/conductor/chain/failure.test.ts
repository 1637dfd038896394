import assert from "node:assert/strict";
import type { ProcessExit } from "../../../src/base/component-process.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { passThrough } from "../../../testing/scripted-proxies.js";
import {
  agentProgram,
  listener,
  onStage,
  PlayedAgent,
  type Program,
  settled,
  type Stage,
  type StageOptions,
  wireProxy,
} from "./chain-fixture.js";

/** An agent or proxy that reads and never answers. */
const silent: Program = listener([]);

/** Sends initialize and two more requests to a chain whose component ends before it answers. */
async function withEnding(
  options: StageOptions,
  component: string,
  exit: Partial<ProcessExit>,
  check: (stage: Stage, errors: unknown[]) => void,
): Promise<void> {
  await onStage(options, async (stage) => {
    const asked = ["initialize", "session/new", "_vendor/x"].map((method) => stage.error(method, {}));
    await settled();
    stage.process(component).exit(exit);
    check(stage, await Promise.all(asked));
  });
}

describe("a component that fails", () => {
  it("by exiting answers every waiting request at once, each once, and all later ones", async () => {
    const exit = { code: 7, stderrTail: "Error: no luck" };
    await withEnding(
      { agent: silent, proxies: [passThrough(), wireProxy("current"), wireProxy("legacy")] },
      "agent",
      exit,
      (stage, errors) => {
        const expected = {
          code: -32603,
          message: '"agent" exited with code 7.',
          data: { component: "agent", exitCode: 7, signal: null, stderr: "Error: no luck" },
        };
        assert.deepEqual(
          [errors, stage.failures.map(({ component, message }) => [component, message])],
          [[expected, expected, expected], [["agent", '"agent" exited with code 7.']]],
        );
        const answered = stage.sent.length;
        void stage.error("session/new").then((later) => assert.deepEqual([later, answered], [expected, 3]));
      },
    );
  });

  it("to start is named with its hint", () =>
    withEnding({ agent: silent }, "agent", { startError: "ENOENT" }, (_stage, errors) => {
      const hint = '"agent" is not on PATH: install it or give the full path.';
      const expected = {
        code: -32603,
        message: `"agent" could not be started (ENOENT). ${hint}`,
        data: { component: "agent", exitCode: null, signal: null, startError: "ENOENT", stderr: "", hint },
      };
      assert.deepEqual(errors, [expected, expected, expected]);
    }));

  it("in the middle of a turn answers the turn, and takes back what the agent had asked the client", () => {
    const client = { answers: { "session/request_permission": () => undefined } };
    return onStage({ agent: agentProgram(new ScriptedAgent()), proxies: [wireProxy("mid")], client }, async (stage) => {
      const sessionId = await stage.session();
      const turn = stage.error("session/prompt", { sessionId, prompt: [{ type: "text", text: "permission" }] });
      await stage.client.waitFor("session/request_permission");
      stage.process("proxy-1").exit({ signal: "SIGKILL" });
      await stage.client.waitFor("session/request_permission", "cancel");
      assert.deepEqual([(await turn)["message"], stage.failures.length], ['"proxy-1" was stopped by SIGKILL.', 1]);
    });
  });

  it("is to blame once: what ends after it adds nothing", () =>
    onStage({ agent: silent, proxies: [wireProxy("current")] }, async (stage) => {
      const waiting = stage.error("initialize", {});
      await settled();
      stage.process("proxy-1").exit({ code: 1 });
      stage.process("agent").exit({ code: 2 });
      await waiting;
      await settled();
      assert.deepEqual(
        stage.failures.map(({ component }) => component),
        ["proxy-1"],
      );
    }));

  it("by reading no more is told from one that exits", () =>
    onStage({ agent: silent }, async (stage) => {
      const waiting = stage.error("initialize", {});
      await settled();
      stage.process("agent").handlers.stalled(61_000);
      const { message } = await waiting;
      assert.match(String(message), /^"agent" has not read its input for 61 s\. Restart it/);
      assert.equal((await stage.error("session/new"))["message"], message);
    }));

  it("drops notifications to a chain that is gone", () =>
    onStage({ agent: silent }, async (stage) => {
      void stage.ask("initialize", {});
      await settled();
      stage.process("agent").exit({ code: 0 });
      await settled();
      stage.notify("session/cancel", {});
      assert.equal((await stage.error("x"))["message"], '"agent" exited with code 0.');
    }));
});

describe("a chain that does not start in time", () => {
  const blamed = (options: StageOptions): Promise<unknown> =>
    new Promise((resolve) => {
      void onStage({ ...options, startupTimeoutMs: 1 }, async (stage) => {
        const { message, data } = await stage.error("initialize", {});
        assert.match(
          String(message),
          /^"[^"]+" did not answer initialize within 0\.001 s\. The first start may need to download the agent\. Try again\.$/,
        );
        resolve([(data as { component: string }).component, stage.failures.length]);
      });
    });

  it("blames the last component that was asked and has not answered", async () => {
    assert.deepEqual(
      await Promise.all([
        blamed({ agent: silent, proxies: [wireProxy("current"), wireProxy("legacy")] }),
        blamed({ agent: agentProgram(new ScriptedAgent()), proxies: [wireProxy("current"), silent, wireProxy("mid")] }),
        blamed({ agent: new PlayedAgent({ initialize: () => undefined }) }),
      ]),
      [
        ["agent", 1],
        ["proxy-2", 1],
        ["the chain", 1],
      ],
    );
  });

  it("does not fail when it was answered or ended before", async () => {
    const stages: Stage[] = [];
    await onStage({ startupTimeoutMs: 1 }, async (stage) => {
      stages.push(stage);
      await stage.initialize();
    });
    await onStage({ startupTimeoutMs: 1, agent: new PlayedAgent({ initialize: () => undefined }) }, async (stage) => {
      stages.push(stage);
      void stage.ask("initialize", {});
      await Promise.resolve();
    });
    // Timers fire in order of their deadlines, so a leftover start-up timer would fire within this wait.
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      stages.map(({ failures }) => failures),
      [[], []],
    );
  });
});

describe("the end of a conductor", () => {
  it("ends every process, is no failure, and leaves nobody waiting", async () => {
    const stages: Stage[] = [];
    let waiting: Promise<unknown> | undefined;
    await onStage({ agent: silent, proxies: [wireProxy("current"), passThrough()] }, async (stage) => {
      stages.push(stage);
      waiting = stage.error("initialize", {});
      await settled();
    });
    await waiting;
    assert.deepEqual(
      stages.map(({ processes, failures }) => [[...processes.values()].map(({ isDisposed }) => isDisposed), failures]),
      [[[true, true], []]],
    );
  });

  it("does not wait for an MCP server that never answers", async () => {
    const proxies = [
      wireProxy("legacy", {
        mcpServer: {
          name: "stuck",
          describe: () => new Promise(() => undefined),
          call: () => new Promise(() => undefined),
        },
      }),
    ];
    await onStage(
      { proxies, agent: new ScriptedAgent({ capabilities: { mcpCapabilities: { http: true } } }) },
      async (stage) => {
        await stage.session();
        void stage.bridge.exposed
          .get("stuck")
          ?.describe(new AbortController().signal)
          .catch(() => undefined);
        await settled();
      },
    );
  });

  it("comes before there is a chain, too", () => onStage({}, () => Promise.resolve()));
});
