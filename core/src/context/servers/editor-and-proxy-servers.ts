import type { Logger } from "../../base/logger.js";
import type { ProcessComponent } from "../../conductor/chain/component.js";
import { memberOf, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { Request } from "../../base/rpc/message.js";
import { escapeVariables } from "./variables.js";
import { readMcpServers } from "../../settings/mcp-servers.js";
import { Place, type Problem } from "../../base/problem.js";
import type { UserServer } from "../../settings/user-server.js";

/** Path of the editor's own MCP servers and inputs in its `initialize` parameters. Both have the format of config.jsonc. */
const settingsPlace = ["_meta", "symposium", "mcpServers"] as const;
const inputsPlace = ["_meta", "symposium", "inputs"] as const;

/**
 * MCP servers of a chain that aren't configured in files: servers from the editor's settings, and proxy programs that turned out to be MCP
 * servers.
 */
export class EditorAndProxyServers {
  #editor: readonly UserServer[] = [];
  readonly #components: UserServer[] = [];

  constructor(private readonly logger: Logger) {}

  get current(): readonly UserServer[] {
    return [...this.#editor, ...this.#components];
  }

  /** Removes the editor's settings from its `initialize`, since they may contain secrets and no later component needs them. */
  takenFrom(request: Request): Request {
    const { params } = request;
    const symposium = params && memberOf(memberOf(params, "_meta") ?? Json.null, "symposium");
    const { mcpServers, inputs } = symposium?.object ?? {};
    if (!params || mcpServers === undefined) return request;
    this.set(mcpServers, inputs);
    return new Request(request.method, withoutMember(withoutMember(params, settingsPlace), inputsPlace));
  }

  /** Sets the MCP servers and inputs from the editor's settings. Logs invalid entries. */
  set(mcpServers: unknown, inputs?: unknown): void {
    const problems: Problem[] = [];
    this.#editor = readMcpServers({ mcpServers, inputs }, { kind: "editor" }, new Place(problems));
    for (const { message } of problems)
      this.logger.warn("an MCP server in the editor's settings has a problem", { message });
  }

  /** Adds a program that was configured as a proxy but is an MCP server. Variable syntax in the program's words stays literal. */
  add({ name, command }: ProcessComponent): void {
    const env = Object.entries(command.env).map(([key, value]): [string, string] => [key, escapeVariables(value)]);
    this.#components.push({
      name,
      launch: {
        type: "stdio",
        command: escapeVariables(command.command),
        args: command.args.map(escapeVariables),
        env: Object.fromEntries(env),
        ...(command.cwd !== undefined && { cwd: escapeVariables(command.cwd) }),
      },
      origin: { kind: "component" },
      isEnabled: true,
    });
  }
}
