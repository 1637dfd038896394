import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import type { McpServer } from "../../../../src/base/mcp/mcp-server.js";
import { sourcesServices } from "../../../../src/extensions/sources/node.js";
import { sourcesProxy } from "../../../../src/extensions/sources/sources-proxy.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { nobody } from "../../../../src/base/rpc/peer.js";
import { trusting } from "../../../../testing/scripted-client.js";

/** A folder of its own with these files, and the extension's tools in it. */
export class SourcesStage implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** `env` are variables whose paths begin at the stage's folder. */
  static async open(
    files: Readonly<Record<string, string>> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<SourcesStage> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "symposium-sources-")));
    const own = Object.entries(env).map(([name, path]) => [name, path.replaceAll("/stage", folder)] as const);
    const stage = new SourcesStage(folder, Object.fromEntries(own));
    await stage.write(files);
    return stage;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
  }

  /** Empty where the extension has nothing to do. */
  servers(folder = this.folder, options: unknown = {}): readonly McpServer[] {
    const env = { ...process.env, ...this.env, SYMPOSIUM_CONFIG_DIR: join(this.folder, ".config") };
    const services = sourcesServices({ watchdog: undefined, trust: trusting(), env });
    const handlers = sourcesProxy(options, services, "1").connect({
      client: nobody,
      successor: nobody,
      logger: Logger.silent,
    });
    return handlers.mcpServers?.({ sessionId: undefined, cwd: folder, signal: new AbortController().signal }) ?? [];
  }

  /** The text of a tool's answer, with the stage's folder as `/stage`. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    [server]: readonly McpServer[] = this.servers(),
  ): Promise<string> {
    const { text } = await answerOf(server, tool, args);
    return text.replaceAll(this.folder, "/stage");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

async function answerOf(server: McpServer | undefined, tool: string, args: object): Promise<{ readonly text: string }> {
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const { json } = (await server?.call("tools/call", Json.of({ name: tool, arguments: args }), context)) ?? {};
  const [block] = (json?.object?.["content"] ?? []) as readonly { readonly text: string }[];
  return { text: block?.text ?? json?.text ?? "" };
}

/** The first lines of an answer of package_sources: package, folder, and what differs. */
export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
