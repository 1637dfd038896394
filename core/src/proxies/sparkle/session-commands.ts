import { acpMethods } from "../../acp/methods.js";
import { asObject, Json } from "../../rpc/json.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../rpc/json-edit.js";
import { Notification } from "../../rpc/message.js";
import { type SparkleCommand, sparkleCommands } from "./commands.js";
import type { SparkleToolName } from "./sparkle-options.js";

const updateKind = "available_commands_update";

/** The slash commands of one session: the agent's, and ours where the agent has none of the same name. */
export class SessionCommands {
  readonly #offered: readonly SparkleCommand[];
  #agentNames: ReadonlySet<unknown> = new Set();
  #isAnnounced = false;

  constructor(tools: ReadonlySet<SparkleToolName>) {
    this.#offered = sparkleCommands.filter(({ tool }) => tools.has(tool));
  }

  /** Our command of that name, unless the agent has one itself. */
  find(name: string): SparkleCommand | undefined {
    return this.#own.find((command) => command.name === name);
  }

  /** The agent's announcement with ours added behind its own. */
  extend(notification: Notification): Notification {
    const { params } = notification;
    const update = params && memberOf(params, "update");
    const list = update && memberOf(update, "availableCommands");
    const commands = list && elementsOf(list);
    if (!commands) return notification;
    this.#agentNames = new Set(commands.map((command) => command.object?.["name"]));
    this.#isAnnounced = true;
    if (this.#own.length === 0) return notification;
    const all = arrayOf([...commands, ...this.#own.map(toAvailableCommand)]);
    return new Notification(notification.method, withMember(params, ["update", "availableCommands"], all));
  }

  /** An announcement of ours alone, once, where the agent has made none. */
  announce(sessionId: string): Notification | undefined {
    if (this.#isAnnounced || this.#offered.length === 0) return undefined;
    this.#isAnnounced = true;
    const availableCommands = this.#offered.map((command) => toAvailableCommand(command).value);
    return Notification.of(acpMethods.sessionUpdate, {
      sessionId,
      update: { sessionUpdate: updateKind, availableCommands },
    });
  }

  get #own(): readonly SparkleCommand[] {
    return this.#offered.filter(({ name }) => !this.#agentNames.has(name));
  }
}

/** Whether a session update tells the available commands. */
export function isCommandsUpdate({ params }: Notification): boolean {
  return (
    params?.text.includes(updateKind) === true && asObject(params.object?.["update"])?.["sessionUpdate"] === updateKind
  );
}

function toAvailableCommand({ name, description, hint }: SparkleCommand): Json {
  return Json.of({ name, description, input: { hint } });
}
