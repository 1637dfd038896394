import assert from "node:assert/strict";
import { Notification, Outcome, type Peer, Request, type StartProcess } from "@symposium-dev/core";
import { connectionOver, memoryChannelPair } from "@symposium-dev/core/testing";
import type { ClientAbility } from "../../../src/acp/client-abilities.js";
import { AgentFixture } from "./conversation-fixture.js";
import { processOver } from "./process-over.js";

/** An agent whose prompt starts a sub-agent, which asks for permission and runs until it is stopped. */
class DelegatingAgent {
  editor!: Peer;
  readonly stopped: unknown[] = [];
  #endTurn: () => void = () => undefined;

  readonly start: StartProcess = (_name, _command, handlers) => {
    const [near, far] = memoryChannelPair();
    connectionOver(far, (editor) => {
      this.editor = editor;
      return {
        request: ({ method }, reply) => {
          if (method === "session/prompt") this.#delegate(() => reply(Outcome.of({ stopReason: "end_turn" })));
          else reply(Outcome.of(method === "initialize" ? { protocolVersion: 1 } : { sessionId: "parent" }));
          return () => undefined;
        },
        notify: ({ method, params }) => {
          if (method !== "session/cancel") return;
          this.stopped.push(params?.object);
          this.#child({ state: { state: "idle", stopReason: "cancelled" } });
        },
      };
    });
    near.start(handlers);
    return processOver(near).process;
  };

  endTurn(): void {
    this.#endTurn();
  }

  #delegate(endTurn: () => void): void {
    this.#endTurn = endTurn;
    this.#child({ title: "Read the tests", capabilities: { cancel: {} }, state: { state: "running" } });
    const toolCall = { toolCallId: "edit", title: "Edit", kind: "edit" };
    const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
    const params = { sessionId: "child", toolCall, options };
    this.editor.request(Request.of("session/request_permission", params), () => undefined);
  }

  #child(members: Readonly<Record<string, unknown>>): void {
    const update = { sessionUpdate: "subagent_update", sessionId: "child", ...members };
    this.editor.notify(Notification.of("session/update", { sessionId: "parent", update }));
  }
}

describe("a sub-agent", () => {
  it("asks by its name, and is stopped alone while the turn goes on", async () => {
    let asked: (by: string | undefined) => void = () => undefined;
    const asker = new Promise<string | undefined>((resolve) => (asked = resolve));
    const permissions: ClientAbility = {
      capabilities: {},
      requests: {
        "session/request_permission": ({ session, signal }) => {
          asked(session?.agent.name);
          return new Promise((resolve) =>
            signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } })),
          );
        },
      },
    };
    const agent = new DelegatingAgent();
    await using agents = new AgentFixture({ abilities: [permissions], startProcess: agent.start });
    const tab = agents.tab();
    tab.send("Fix the parser");
    assert.equal(await asker, "Scripted · Sub-agent: Read the tests");
    tab.conversation.stopSubagent("subagent:child");
    await tab.until(() => tab.all("tool").every(({ status }) => status === "cancelled"));
    assert.deepEqual([agent.stopped, tab.phase], [[{ sessionId: "child" }], "running"]);
    agent.endTurn();
    await tab.until(() => tab.all("turn-end").length === 1);
  });
});
