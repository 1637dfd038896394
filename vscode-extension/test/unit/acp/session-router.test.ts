import assert from "node:assert/strict";
import { ask, Json, Logger, Notification, Request } from "@symposium-dev/core";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import { AbilityTable } from "../../../src/acp/ability-table.js";
import type { AbilityCall, ClientAbility } from "../../../src/acp/client-ability.js";
import { type RoutedSession, SessionRouter } from "../../../src/acp/session-router.js";

interface Recorded extends RoutedSession {
  readonly updates: unknown[];
}

function session(sessionId: string, isTurnOpen = false): Recorded {
  const updates: unknown[] = [];
  return {
    updates,
    isTurnOpen,
    update: (update) => updates.push(update["n"]),
    ability: {
      tabId: `tab-of-${sessionId}`,
      sessionId,
      agent: { id: "a", name: "A" },
      roots: [],
      transcript: newTranscript(newTabState({ id: "a", name: "A" })),
      publish: () => undefined,
    },
  };
}

/** Answers the method `who` with the tab that it is for, and `wait` when it is given up. */
const ability: ClientAbility = {
  capabilities: {},
  requests: {
    who: ({ session: known }: AbilityCall) => Promise.resolve({ tabId: known?.tabId ?? null }),
    "session/request_permission": ({ signal }: AbilityCall) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }))),
    broken: () => Promise.reject(new Error("It broke.")),
  },
};

function router(): SessionRouter {
  return new SessionRouter(new AbilityTable([ability], Logger.silent), Logger.silent);
}

const update = (sessionId: string, n: number): Notification =>
  Notification.of("session/update", { sessionId, update: { sessionUpdate: "x", n } });

async function answer(to: SessionRouter, method: string, params: unknown): Promise<unknown> {
  const outcome = await ask(to, new Request(method, Json.of(params)));
  return outcome.json.value;
}

describe("the router of an agent's messages", () => {
  it("keeps updates of a session until it is known, and then keeps their order", () => {
    const routed = router();
    const one = session("one");
    routed.notify(update("one", 1));
    routed.notify(update("two", 9));
    routed.notify(update("one", 2));
    routed.add(one);
    routed.notify(update("one", 3));
    assert.deepEqual(one.updates, [1, 2, 3]);
  });

  it("lets a request wait that comes before the answer which names its session", async () => {
    const routed = router();
    const asked = routed.whileOpening(async () => {
      const pending = answer(routed, "who", { sessionId: "one" });
      await Promise.resolve();
      routed.add(session("one"));
      return pending;
    });
    assert.deepEqual(await asked, { tabId: "tab-of-one" });
  });

  it("gives what a session's own sub-session asks to the session", async () => {
    const routed = router();
    routed.add(session("one"));
    routed.add(session("two"));
    routed.addChild("child", "two");
    assert.deepEqual(await answer(routed, "who", { sessionId: "child" }), { tabId: "tab-of-two" });
  });

  it("gives what an unknown session asks to the one whose turn is open", async () => {
    const routed = router();
    routed.add(session("one"));
    routed.add(session("two", true));
    assert.deepEqual(await answer(routed, "who", { sessionId: "unknown" }), { tabId: "tab-of-two" });
  });

  it("answers requests that nobody knows, and those that fail, with an error", async () => {
    assert.deepEqual(await answer(router(), "_vendor/thing", {}), {
      code: -32601,
      message: "Method not found: _vendor/thing",
      data: { method: "_vendor/thing" },
    });
    assert.deepEqual(await answer(router(), "broken", {}), { code: -32603, message: "It broke." });
  });

  it("gives requests up that wait for the user when their turn is cancelled", async () => {
    const routed = router();
    routed.add(session("one"));
    const asked = answer(routed, "session/request_permission", { sessionId: "one" });
    await Promise.resolve();
    await Promise.resolve();
    routed.cancelCalls("one", "asking");
    assert.deepEqual(await asked, { outcome: "cancelled" });
  });
});

describe("the abilities of the editor", () => {
  it("announce themselves as one, member by member", () => {
    const parts = [
      { capabilities: { fs: { readTextFile: true } }, requests: {} },
      { capabilities: { fs: { writeTextFile: true }, terminal: true }, requests: {} },
    ];
    assert.deepEqual(new AbilityTable(parts, Logger.silent, { session: { notices: {} } }).capabilities, {
      session: { notices: {} },
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
    });
  });
});
