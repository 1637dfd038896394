import { acpMethods } from "../base/acp/methods.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { Notification } from "../base/rpc/message.js";
import type { CommandList, SlashCommand } from "./contribution.js";

/** The slash commands that one source adds to a session. */
export interface SourceCommands {
  /** The name of the source: it stands before the name of a command that somebody else has already. */
  readonly source: string;
  readonly list: CommandList;
}

/** The slash commands of one session: the agent's, and ours behind them. */
export class MergedCommands {
  #agents: readonly Json[] = [];

  constructor(private readonly lists: readonly SourceCommands[]) {}

  /** Our command of that name, as the client knows it. */
  find(name: string): SlashCommand | undefined {
    return this.#own().get(name);
  }

  /** The agent's announcement, which is noted, with ours added. */
  extend(notification: Notification): Notification {
    const { params, method } = notification;
    const commands = commandsIn(notification);
    if (!params || !commands) return notification;
    this.#agents = commands;
    if (this.#own().size === 0) return notification;
    return new Notification(method, withMember(params, ["update", "availableCommands"], this.#all()));
  }

  /** An announcement of all; undefined where none is ours. */
  announcement(sessionId: string): Notification | undefined {
    if (this.#own().size === 0) return undefined;
    return this.update(sessionId);
  }

  /** The same, also where none is ours any more. */
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

/** The entries of such an update, raw. */
function commandsIn({ params }: Notification): readonly Json[] | undefined {
  const update = params && memberOf(params, "update");
  const list = update && memberOf(update, "availableCommands");
  return list && elementsOf(list);
}

function toAvailableCommand([name, { description, hint }]: readonly [string, SlashCommand]): Json {
  return Json.of({ name, description, ...(hint !== undefined && { input: { hint } }) });
}
