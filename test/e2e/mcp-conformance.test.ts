import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Tool, ToolServer } from "@symposium-dev/core";
import { Logger } from "#core/base/logger.js";
import { keepAliveMs } from "#core/base/node/loopback-server.js";
import { LoopbackMcpBridge } from "#core/base/node/mcp-bridge/loopback-bridge.js";
import { formOf, headersOf, openAgentSession } from "../conformance/mcp-entry.js";
import { conducted, startTarget } from "../conformance/target.js";
import { runToEnd } from "../support/child.js";
import { type JsonObject, objectOf, stringOf } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

/** The checks that the MCP project publishes for servers (MIT licence). */
const suite = {
  package: "@modelcontextprotocol/conformance",
  version: "0.1.16",
  command: "conformance",
  nodeMajor: 22,
} as const;

/** Checks that apply to every server. */
const general = [
  "server-initialize",
  "logging-set-level",
  "ping",
  "tools-list",
  "server-sse-polling",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];
/** Checks of optional features, each with a tool or prompt that the check names. */
const offered = [
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
];

describe("the MCP project's conformance checks", function () {
  this.timeout(scaledMs(400_000));
  const binFolder = usePackage(suite);
  const scope = useTestScope();

  /** The names of the checks that the server behind an entry passes. */
  async function passedBy(context: Mocha.Context, entry: JsonObject): Promise<string[]> {
    const folder = scope().use(await createRunFolder("mcp"));
    const url = await withToken(scope(), stringOf(entry["url"]), headersOf(entry));
    const words = ["node", join(binFolder(context), suite.command), "server", "--suite", "all", "--url", url];
    const { stdout } = await runToEnd(
      { words, env: { ...folder.env, PATH: pathWith() }, cwd: folder.workspace },
      300_000,
    );
    return [...stdout.matchAll(/^✓ (\S+): \d+ passed, 0 failed$/gm)].map(([, name = ""]) => name);
  }

  for (const name of ["sparkle", "ferris", "cargo", "ide-operations"]) {
    it(`hold for the server ${name} as an agent gets it`, async function () {
      binFolder(this);
      const client = await startTarget(conducted(name, ["defaults"]), scope());
      const { workspace } = scope().use(await createRunFolder("mcp-project"));
      await writeFile(join(workspace, "Cargo.toml"), '[package]\nname = "app"\nversion = "0.1.0"\n');
      const { entries } = await openAgentSession(client, "session/new", [], workspace);
      const entry = entries.find((one) => one["name"] === name);
      assert.equal(entry && formOf(entry), "http");
      const passed = await passedBy(this, objectOf(entry));
      assert.deepEqual(
        general.filter((check) => !passed.includes(check)),
        [],
      );
    });
  }

  it("hold for whatever else a server made of tools and prompts can offer", async function () {
    binFolder(this);
    const bridge = scope().use(new LoopbackMcpBridge({ command: "node", args: [], env: {} }, Logger.silent));
    const { declaration } = scope().use(await bridge.expose(checkedServer(), "http"));
    const passed = await passedBy(this, objectOf(declaration.value));
    assert.deepEqual(passed.toSorted(), [...general, ...offered].toSorted());
  });
});

/** The address of a server before `url` that adds the headers, which the checks cannot be told. */
async function withToken(
  stack: AsyncDisposableStack,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const forwarder = createServer((incoming, response) => {
    const all = { ...incoming.headers, ...headers };
    const onward = request(url, { method: incoming.method, headers: all }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  });
  // Its answers say what the server before it says of that, so that it has to hold here, too.
  forwarder.keepAliveTimeout = keepAliveMs;
  stack.defer(() => {
    forwarder.closeAllConnections();
    forwarder.close();
  });
  forwarder.listen(0, "127.0.0.1");
  await once(forwarder, "listening");
  return `http://127.0.0.1:${(forwarder.address() as AddressInfo).port}/mcp`;
}

const text = { type: "text", text: "A text." };
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const audio = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
const resource = { type: "resource", resource: { uri: "test://one", mimeType: "text/plain", text: "A resource." } };

/** Schema whose members the checks expect unchanged. */
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};

/** The tools and prompts that the checks call, as far as our servers have the like. */
function checkedServer(): ToolServer {
  const tool = (name: string, call: Tool["call"], inputSchema: Tool["inputSchema"] = {}): Tool => ({
    name,
    description: "For the checks.",
    inputSchema,
    call,
  });
  const brings = (name: string, ...content: readonly { readonly type: string }[]): Tool =>
    tool(name, () => Promise.resolve({ content }));
  return new ToolServer({
    name: "checked",
    version: "1.0.0",
    tools: [
      brings("test_simple_text", text),
      brings("test_image_content", image),
      brings("test_audio_content", audio),
      brings("test_embedded_resource", resource),
      brings("test_multiple_content_types", text, image, resource),
      tool("test_error_handling", () => Promise.reject(new Error("This tool fails on purpose."))),
      tool("test_tool_with_progress", (_args, context) => {
        for (const done of [0, 50, 100]) context.progress("working", done, 100);
        return Promise.resolve("done");
      }),
      tool("json_schema_2020_12_tool", () => Promise.resolve("done"), schema),
    ],
    prompts: [
      { name: "test_simple_prompt", description: "For the checks.", render: () => "A prompt." },
      {
        name: "test_prompt_with_arguments",
        description: "For the checks.",
        arguments: [
          { name: "arg1", required: true },
          { name: "arg2", required: true },
        ],
        render: ({ arg1 = "", arg2 = "" }) => `${arg1} and ${arg2}`,
      },
    ],
  });
}
