import assert from "node:assert/strict";
import { HostPermissionPrompts } from "../../src/guard/network/host-permission-prompts.js";
import { readTarget } from "../../src/guard/network/target.js";
import { Notification } from "../../src/base/rpc/message.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";

const target = readTarget("api.example", 443) ?? assert.fail();
const question = { targets: [target], isRegistries: false, isForUserAlone: false };

describe("a question about a host", () => {
  async function withDesk(
    body: (desk: HostPermissionPrompts, stage: Stage, events: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const desk = new HostPermissionPrompts();
    const events: string[] = [];
    using _listening = desk.listen({
      beginTurn: () => events.push("turn"),
      callTool: () => events.push("call"),
      endSession: (session) => events.push(`end ${session}`),
    });
    let count = 0;
    const agent = new PlayedAgent({
      initialize: { protocolVersion: 1, agentInfo: { name: "played", title: "Played\u202e", version: "1" } },
      "session/new": () => ({ sessionId: `s${++count}` }),
      "session/prompt": () => {
        events.push(`asked in ${desk.session ?? "none"}`);
        for (const sessionUpdate of ["plan", "tool_call"]) {
          agent.client.notify(Notification.of("session/update", { sessionId: "s1", update: { sessionUpdate } }));
        }
        return { stopReason: "end_turn" };
      },
      "session/close": {},
    });
    await onStage({ agent, conductor: { lastProxies: [desk.proxy] } }, async (stage) => {
      await stage.initialize();
      await body(desk, stage, events);
    });
  }

  const asked = (stage: Stage): readonly unknown[] =>
    stage.client.received
      .filter(({ method }) => method === "session/request_permission")
      .map(({ params }) => params?.object);

  it("is answered by nobody while there is no session", async () => {
    await withDesk(async (desk) => {
      assert.equal(await desk.ask(question), undefined);
    });
  });

  it("is an ordinary permission request of the newest session, with answers that last and one that does not", async () => {
    await withDesk(async (desk, stage) => {
      for (const cwd of ["/a", "/b"]) await stage.result("session/new", { cwd, mcpServers: [] });
      assert.deepEqual(await desk.ask(question), { choice: "session", session: "s2" });
      const [request] = asked(stage) as readonly {
        readonly sessionId: string;
        readonly toolCall: Readonly<Record<string, unknown>>;
        readonly options: readonly object[];
      }[];
      assert.deepEqual(
        {
          sessionId: request?.sessionId,
          title: request?.toolCall["title"],
          kind: request?.toolCall["kind"],
          input: request?.toolCall["rawInput"],
          options: request?.options,
        },
        {
          sessionId: "s2",
          title: "api.example:443",
          kind: "fetch",
          input: { host: "api.example", port: 443 },
          options: [
            { optionId: "session", name: "Allow in this session", kind: "allow_once" },
            { optionId: "workspace", name: "Allow in this workspace", kind: "allow_always" },
            { optionId: "always", name: "Always allow", kind: "allow_always" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        },
      );
    });
  });

  it("offers nothing that lasts where a rule has the user asked", async () => {
    await withDesk(async (desk, stage) => {
      await stage.result("session/new", { cwd: "/a", mcpServers: [] });
      await desk.ask({ ...question, isForUserAlone: true });
      const [request] = asked(stage) as readonly {
        readonly options: readonly { readonly optionId: string }[];
        readonly toolCall: { readonly content: readonly { readonly content: { readonly text: string } }[] };
      }[];
      assert.deepEqual(
        request?.options.map(({ optionId }) => optionId),
        ["session", "no"],
      );
      // Shows the agent's own name, with its invisible characters replaced by their code points.
      assert.match(request.toolCall.content[0]?.content.text ?? "", /^Played‹U\+202E›, or a program/);
    });
  });

  it("is asked in no session without a name, and what was allowed ends with the chain", async () => {
    let kept: HostPermissionPrompts | undefined;
    let heard: readonly string[] = [];
    await withDesk(async (desk, stage, events) => {
      [kept, heard] = [desk, events];
      await stage.ask("session/prompt", { prompt: [] });
      assert.equal(await desk.ask(question), undefined);
      await stage.result("session/new", { cwd: "/a", mcpServers: [] });
    });
    assert.deepEqual(heard, ["asked in none", "end s1"]);
    assert.equal(await kept?.ask(question), undefined);
  });

  it("is asked in the session whose turn runs, and hears of turns, of tool calls and of sessions that end", async () => {
    await withDesk(async (desk, stage, events) => {
      for (const cwd of ["/a", "/b"]) await stage.result("session/new", { cwd, mcpServers: [] });
      await stage.result("session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "Go" }] });
      await stage.result("session/close", { sessionId: "s2" });
      assert.deepEqual(events, ["turn", "asked in s1", "call", "end s2"]);
      assert.deepEqual(await desk.ask(question), { choice: "session", session: "s1" });
    });
  });
});
