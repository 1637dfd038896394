import { asObject, Json } from "../../../src/base/rpc/json.js";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { ideOperationsServer } from "../../../src/extensions/ide-operations/ide-operations-server.js";
import { IdeWorkspace, workspaceFolder } from "./ide-workspace.js";

/** Answer of a tool. */
interface Said {
  readonly text: string;
  readonly isError: boolean;
}

/** The tools of one session over a workspace in memory. */
export class IdeToolsStage {
  readonly server: McpServer;
  readonly session = new AbortController();

  constructor(workspace: IdeWorkspace, tools?: ReadonlySet<string>) {
    this.server = ideOperationsServer({
      ide: workspace.operations,
      services: workspace.services,
      folder: workspaceFolder,
      signal: this.session.signal,
      version: "1.0.0",
      tools,
    });
  }

  /** The text of a call that succeeds. */
  async text(name: string, args: object, signal?: AbortSignal): Promise<string> {
    const { text, isError } = await this.call(name, args, signal);
    if (isError) throw new Error(`${name} failed: ${text}`);
    return text;
  }

  /** The text of a call that fails. */
  async failure(name: string, args: object): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (!isError) throw new Error(`${name} succeeded: ${text}`);
    return text;
  }

  async call(name: string, args: object, signal: AbortSignal = new AbortController().signal): Promise<Said> {
    const outcome = await this.server.call("tools/call", Json.of({ name, arguments: args }), {
      signal,
      notify: () => undefined,
    });
    const { content, isError, message } = outcome.json.object ?? {};
    const block = asObject(Array.isArray(content) ? content[0] : undefined);
    return { text: String(block?.["text"] ?? message), isError: outcome.isError || isError === true };
  }

  async listText(): Promise<string> {
    const outcome = await this.server.call("tools/list", undefined, {
      signal: new AbortController().signal,
      notify: () => undefined,
    });
    return outcome.json.text;
  }
}

/** The tools over a workspace where a comment names `total_area`, which leads nowhere. */
export function stage(change: (workspace: IdeWorkspace) => void = () => undefined): [IdeToolsStage, IdeWorkspace] {
  const workspace = new IdeWorkspace();
  workspace.blind.add("src/main.rs:4");
  change(workspace);
  return [new IdeToolsStage(workspace), workspace];
}

export const loading = { kind: "loading", percent: 40 } as const;
export const degraded = { kind: "degraded", reason: "the sources of std are missing" } as const;

export const lines = (...parts: readonly string[]): string => parts.join("\n");
