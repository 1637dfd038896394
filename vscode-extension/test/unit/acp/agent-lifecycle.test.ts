import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { CrashLimit } from "../../../src/acp/agent-configuration.js";
import type { SignInRequest } from "../../../src/acp/conversation-parts.js";
import { type SeenRequest, startInProcess } from "./agent-in-process.js";
import { AgentFixture } from "./conversation-fixture.js";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let rounds = 0; rounds < 2_000 && !isSo(); rounds++) await delay(20);
  assert.ok(isSo(), `it never came to: ${isSo.toString()}`);
}

describe("the life of an agent", () => {
  it("ends when the window closes, however stubborn it is", async () => {
    let pids: number[];
    {
      await using agents = new AgentFixture({ args: () => ["--ignore-eof", "--ignore-sigterm"] });
      const tab = agents.tab();
      await tab.ask("echo hello");
      pids = agents.agents.pids;
      assert.equal(pids.length, 1);
    }
    assert.deepEqual(pids.filter(isAlive), []);
  });

  it("ends with everything that it has started", async () => {
    let child = 0;
    {
      await using agents = new AgentFixture();
      const tab = agents.tab();
      await tab.ask("child");
      child = Number(/child (\d+)/.exec(tab.said)?.[1]);
      assert.ok(isAlive(child));
    }
    await until(() => !isAlive(child));
  });

  it("ends a while after its last tab was closed, and starts anew for the next", async () => {
    await using agents = new AgentFixture({ idleMs: 0 });
    const tab = agents.tab();
    await tab.ask("echo hello");
    const [pid = 0] = agents.agents.pids;
    await tab.conversation.close();
    await until(() => !isAlive(pid));
    const next = agents.tab({ tabId: "next" });
    await next.ask("echo again");
    assert.deepEqual([next.said, agents.starts], ["again\n", 2]);
  });

  it("closes the session of a closed tab and leaves the others alone", async () => {
    await using agents = new AgentFixture();
    const [one, two] = [agents.tab({ tabId: "one" }), agents.tab({ tabId: "two" })];
    await one.ask("echo one");
    await two.ask("echo two");
    await one.conversation.close();
    await two.ask("echo still here");
    assert.equal(two.said, "two\nstill here\n");
    assert.equal(agents.starts, 1);
  });

  it("is asked to close a session that it opens only after the tab was closed", async () => {
    const seen: SeenRequest[] = [];
    let send = (): void => undefined;
    const options = { capabilities: { sessionCapabilities: { close: {} } } };
    const startProcess = startInProcess(options, seen, (method, answer) => {
      if (method === "session/new") send = answer;
      else answer();
    });
    await using agents = new AgentFixture({ startProcess });
    const tab = agents.tab();
    const starting = tab.conversation.start();
    await until(() => seen.some(({ method }) => method === "session/new"));
    await tab.conversation.close();
    send();
    await starting;
    await until(() => seen.some(({ method }) => method === "session/close"));
    assert.deepEqual(
      seen.map(({ method }) => method),
      ["initialize", "session/new", "session/close"],
    );
  });

  it("is started again at most three times in five minutes without the user", () => {
    const policy = new CrashLimit();
    const times = [0, 1_000, 2_000, 3_000];
    assert.deepEqual(
      times.map((at) => policy.afterCrash(at)),
      [500, 2_000, 8_000, undefined],
    );
    assert.equal(policy.afterCrash(400_000), 500);
    policy.reset();
    assert.equal(policy.afterCrash(400_001), 500);
  });
});

describe("an agent that wants the user to sign in", () => {
  it("is asked for the session once more after the sign-in", async () => {
    await using agents = new AgentFixture({ args: () => ["--auth-required"] });
    const requests: SignInRequest[] = [];
    const signIn = async (request: SignInRequest): Promise<boolean> => {
      requests.push(request);
      await request.authenticate("scripted");
      return true;
    };
    const tab = agents.tab({ signIn: { signIn } });
    await tab.ask("echo signed in");
    assert.equal(tab.said, "signed in\n");
    assert.deepEqual(
      requests.map(({ reason, agent, methods }) => ({ reason, agent, ids: methods.map(({ id }) => id) })),
      [{ reason: "Authentication required", agent: { id: "scripted", name: "Scripted" }, ids: ["scripted"] }],
    );
  });

  it("is not started when the user does not sign in, and the prompt is kept", async () => {
    await using agents = new AgentFixture({ args: () => ["--auth-required"] });
    const tab = agents.tab();
    const prompt = tab.send("echo later");
    await tab.until(() => tab.phase === "failed");
    assert.deepEqual(tab.transcript.transcript.state.queue, [prompt]);
    assert.match(tab.all("notice")[0]?.text ?? "", /^Authentication required/);
  });
});

describe("a session that comes back", () => {
  it("is taken up by its id, without a second copy of what is shown", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab({ sessionId: "session-old" });
    tab.transcript.publish({ op: "put", item: { kind: "user", id: "old", text: "Earlier", attachments: [] } });
    await tab.ask("echo now");
    assert.deepEqual(
      tab.items.map((item) => (item.kind === "text" || item.kind === "user" ? item.text : item.kind)),
      ["Earlier", "echo now", "now\n", "turn-end"],
    );
    assert.deepEqual(tab.sessions, []);
  });
});

describe("a workspace of several folders", () => {
  it("goes to the agent as a whole where it takes more than one folder", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab({
      folders: ["/project", "/library"],
      chooseFolder: () => Promise.reject(new Error("Nobody should be asked.")),
    });
    await tab.ask("echo hello");
    assert.deepEqual(tab.conversation.roots, ["/project", "/library"]);
  });
});
