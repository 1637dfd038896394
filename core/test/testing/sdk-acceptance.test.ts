import { client as sdkClient, type Stream } from "@agentclientprotocol/sdk/unstable";
import assert from "node:assert/strict";
import { mock } from "node:test";
import { connectionOver, type MemoryChannel, memoryChannelPair } from "../../testing/memory-channel.js";
import { sampleContent, sampleToolCalls, stableUpdates, unstableUpdates } from "../../testing/sample-updates.js";
import { ScriptedAgent } from "../../testing/scripted-agent.js";

type AnyMessage = Stream extends { readable: ReadableStream<infer M> } ? M : never;

/** One end of a channel as the SDK's stream. */
function streamOver(channel: MemoryChannel): Stream {
  return {
    readable: new ReadableStream<AnyMessage>({
      start(controller) {
        channel.start({
          line: (line) => controller.enqueue(JSON.parse(line) as AnyMessage),
          oversize: () => undefined,
          end: () => controller.close(),
        });
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: (message) => channel.send(JSON.stringify(message)),
      close: () => channel.end(),
    }),
  };
}

describe("the ACP SDK's own client", () => {
  it("takes every known update and content block of the scripted agent as valid", async () => {
    const [ours, theirs] = memoryChannelPair();
    connectionOver(ours, (neighbour) => new ScriptedAgent().connect(neighbour).fromClient);
    const kinds: string[] = [];
    const refusals = mock.method(console, "error", () => undefined);
    await sdkClient({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        const { update } = params;
        kinds.push(
          "content" in update && update.sessionUpdate === "agent_message_chunk"
            ? update.content.type
            : update.sessionUpdate,
        );
      })
      .connectWith(streamOver(theirs), async (agent) => {
        await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
        const { sessionId } = await agent.request("session/new", { cwd: "/", mcpServers: [] });
        const text = "updates\ncontent\ntool_calls";
        await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      });
    refusals.mock.restore();
    assert.equal(
      refusals.mock.callCount(),
      2,
      "the SDK refuses the unknown update and the unknown content, and no other",
    );
    const kind = (update: Readonly<Record<string, unknown>>): unknown =>
      update["sessionUpdate"] === "agent_message_chunk" ? "text" : update["sessionUpdate"];
    assert.deepEqual(kinds, [
      ...[...stableUpdates, ...unstableUpdates].map(kind),
      "text", // The chunk with unknown members; the unknown kind before it is dropped by the SDK.
      ...sampleContent.map((content) => content["type"]),
      ...sampleToolCalls.map((update) => update["sessionUpdate"]),
    ]);
  });
});
