import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { Json } from "../../../src/base/rpc/json.js";
import { nobody } from "../../../src/base/rpc/peer.js";
import type { ProxyHandlers } from "../../../src/conductor/chain/proxy.js";
import { testServices } from "../../../src/extensions/test-tools/node.js";
import { testsProxy } from "../../../src/extensions/test-tools/tests-proxy.js";
import { trusting } from "../../../testing/scripted-client.js";

export const repository = join(import.meta.dirname, "../../../../..");

/** The tests extension in a folder of its own, with the reporters that it is delivered with. */
export class TestsStage implements AsyncDisposable {
  readonly #watchdog = new Watchdog();
  readonly #connections: ProxyHandlers[] = [];

  private constructor(
    readonly folder: string,
    private readonly reporters: Readonly<Record<string, string>>,
  ) {}

  static async open(): Promise<TestsStage> {
    const home = join(repository, "core/reporters");
    const texts = (await readdir(home)).map(async (name) => [name, await readFile(join(home, name), "utf8")] as const);
    const folder = await realpath(await mkdtemp(join(tmpdir(), "tests-proxy-")));
    return new TestsStage(folder, Object.fromEntries(await Promise.all(texts)));
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
  }

  servers(trust = trusting()): readonly McpServer[] {
    const services = testServices({ watchdog: this.#watchdog, reporters: this.reporters });
    const chain = { client: nobody, successor: nobody, logger: Logger.silent };
    const handlers = testsProxy({}, services, trust, "1").connect(chain);
    this.#connections.push(handlers);
    const { signal } = new AbortController();
    return handlers.mcpServers?.({ sessionId: undefined, cwd: this.folder, signal }) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handlers of this.#connections) await handlers[Symbol.asyncDispose]?.();
    this.#watchdog[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The text that a tool answers with. */
export async function callTool(server: McpServer | undefined, name: string, args: object = {}): Promise<string> {
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const { json } = (await server?.call("tools/call", Json.of({ name, arguments: args }), context)) ?? {};
  const [block] = (json?.object?.["content"] ?? []) as readonly { readonly text: string }[];
  return block?.text ?? json?.text ?? "";
}
