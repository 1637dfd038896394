import type { Logger } from "../../base/logger.js";
import type { ProcessComponent } from "../../conductor/chain/component.js";
import { memberOf, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { Request } from "../../base/rpc/message.js";
import { escapeVariables } from "./variables.js";
import { readMcpServers } from "../../settings/mcp-servers.js";
import { Place, type Problem } from "../../base/problem.js";
import type { UserServer } from "../../settings/user-server.js";

/** Where an editor has its own settings of servers and inputs, in the format of config.jsonc, in its `initialize`. */
const settingsPlace = ["_meta", "symposium", "mcpServers"] as const;
const inputsPlace = ["_meta", "symposium", "inputs"] as const;

/** Servers that a chain gets by other ways than files: from its editor's settings, and programs that turn out to be some. */
export class EditorAndProxyServers {
  #editor: readonly UserServer[] = [];
  readonly #components: UserServer[] = [];

  constructor(private readonly logger: Logger) {}

  get current(): readonly UserServer[] {
    return [...this.#editor, ...this.#components];
  }

  /** Takes the editor's settings out of its `initialize`: they may hold secrets, and are for nobody behind us. */
  takenFrom(request: Request): Request {
    const { params } = request;
    const symposium = params && memberOf(memberOf(params, "_meta") ?? Json.null, "symposium");
    const { mcpServers, inputs } = symposium?.object ?? {};
    if (!params || mcpServers === undefined) return request;
    this.set(mcpServers, inputs);
    return new Request(request.method, withoutMember(withoutMember(params, settingsPlace), inputsPlace));
  }

  /** The editor's settings are these. What cannot be used is logged. */
  set(mcpServers: unknown, inputs?: unknown): void {
    const problems: Problem[] = [];
    this.#editor = readMcpServers({ mcpServers, inputs }, { kind: "editor" }, new Place(problems));
    for (const { message } of problems) this.logger.warn("a server of the editor's settings", { message });
  }

  /** A program that was given as a proxy. Nothing in its words is a variable. */
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
