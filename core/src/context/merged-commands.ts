import { acpMethods } from "../base/acp/methods.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { Notification } from "../base/rpc/message.js";
import type { CommandList, SlashCommand } from "./contribution.js";

export interface SourceCommands {
  /** Name of the commands' source, used as a prefix for a command whose name is already taken. */
  readonly source: string;
  readonly list: CommandList;
}

/** Slash commands of one session: the agent's commands, followed by Symposium's. */
export class MergedCommands {
  #agents: readonly Json[] = [];

  constructor(private readonly lists: readonly SourceCommands[]) {}

  /** Returns the Symposium command that the client knows by this name. */
  find(name: string): SlashCommand | undefined {
    return this.#own().get(name);
  }

  /** Records the agent's announcement and adds Symposium's commands to it. */
  extend(notification: Notification): Notification {
    const { params, method } = notification;
    const commands = commandsIn(notification);
    if (!params || !commands) return notification;
    this.#agents = commands;
    if (this.#own().size === 0) return notification;
    return new Notification(method, withMember(params, ["update", "availableCommands"], this.#all()));
  }

  /** Returns an announcement of all commands; undefined if Symposium adds no commands. */
  announcement(sessionId: string): Notification | undefined {
    if (this.#own().size === 0) return undefined;
    return this.update(sessionId);
  }

  /** Returns an announcement of all commands, even if Symposium no longer adds any commands. */
  update(sessionId: string): Notification {
    const update = withMember(
      Json.of({ sessionUpdate: "available_commands_update" }),
      ["availableCommands"],
      this.#all(),
    );
    return new Notification(acpMethods.sessionUpdate, withMember(Json.of({ sessionId }), ["update"], update));
  }

  #all(): Json {
    return arrayOf([...this.#agents, ...[...this.#own()].map(toAvailableCommand)]);
  }

  #own(): ReadonlyMap<string, SlashCommand> {
    const taken = new Set<unknown>(this.#agents.map((command) => command.object?.["name"]));
    const own = new Map<string, SlashCommand>();
    for (const { source, list } of this.lists) {
      for (const command of list.current()) {
        const name = [command.name, `${source}:${command.name}`].find((one) => !taken.has(one) && !own.has(one));
        if (name !== undefined) own.set(name, command);
      }
    }
    return own;
  }
}

function commandsIn({ params }: Notification): readonly Json[] | undefined {
  const update = params && memberOf(params, "update");
  const list = update && memberOf(update, "availableCommands");
  return list && elementsOf(list);
}

function toAvailableCommand([name, { description, hint }]: readonly [string, SlashCommand]): Json {
  return Json.of({ name, description, ...(hint !== undefined && { input: { hint } }) });
}
