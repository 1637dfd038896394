import { Json } from "../../base/rpc/json.js";
import type { Request } from "../../base/rpc/message.js";
import { protectionLevels } from "../../base/safety/protection-level.js";
import type { WantedProtection } from "./agent-protection.js";
import type { Change, Choice, Offer } from "./chosen-agent-and-proxies.js";
import { agentList, configText, continueList, notOneOf, proxyList } from "./choice-text.js";
import { promptText } from "./session-messages.js";

const prefix = "symposium:";

const config = {
  name: `${prefix}config`,
  description: "Shows the agent and extensions of this session and of new sessions",
};
const agent = {
  name: `${prefix}agent`,
  description: "Lists Symposium's agents, or chooses one",
  input: { hint: "name of an agent" },
};
const continues = {
  name: `${prefix}continue`,
  description: "Continues this conversation, or an earlier one in this folder, with another agent",
  input: { hint: "agent name; in a new session, optionally a conversation ID" },
};
const proxies = {
  name: `${prefix}proxies`,
  description: "Lists Symposium's extensions, or turns one on or off",
  input: { hint: "extension name, then on or off" },
};
const guard = {
  name: `${prefix}guard`,
  description: "Shows or changes the protection level of this session's agent",
  input: { hint: "sandbox, rules, off or default" },
};

export function choiceCommands(offer: Offer): readonly Json[] {
  return commandsOf(offer).map((command) => Json.of(command));
}

function commandsOf({ agents }: Offer): readonly { readonly name: string }[] {
  return agents.length > 1 ? [config, agent, continues, proxies, guard] : [config, proxies, guard];
}

type ChoiceCommand =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "continue"; readonly agent: string; readonly named: string | undefined }
  /** Command about protection. Without a wish, it shows the current protection. */
  | { readonly kind: "guard"; readonly wish: WantedProtection | undefined };

interface CommandContext {
  readonly offer: Offer;
  /** Choice of the current session. */
  readonly own: Choice;
  /** Choice for new sessions. */
  readonly configured: Choice;
  readonly file: string;
}

export function commandWords(request: Request): readonly string[] | undefined {
  const raw = request.frame?.text ?? request.params?.text ?? "";
  if (!raw.includes(`/${prefix}`)) return undefined;
  const text = promptText(request.params);
  return text.startsWith(`/${prefix}`)
    ? text
        .slice(prefix.length + 1)
        .trim()
        .split(/\s+/)
    : undefined;
}

/** Parses a slash command. Unknown input results in a text that lists the valid choices. */
export function readCommand([name = "", ...words]: readonly string[], context: CommandContext): ChoiceCommand {
  const { offer, own, configured, file } = context;
  switch (name) {
    case "config":
      return say(
        words.length === 0 ? configText(offer, own, configured, file) : "`/symposium:config` takes no arguments.",
      );
    case "agent":
      return words.length === 0 ? say(agentList(offer, configured)) : agentCommand(words.join(" "), offer);
    case "continue":
      return words.length === 0 ? say(continueList(offer, own)) : continueCommand(words, offer);
    case "proxies":
      return words.length === 0 ? say(proxyList(offer, configured)) : proxyCommand(words, offer);
    case "guard":
      return guardCommand(words);
    default:
      return say(`\`/${prefix}${name}\` isn't a command. Commands: ${commandNames(offer)}.`);
  }
}

function commandNames(offer: Offer): string {
  return commandsOf(offer)
    .map((command) => `\`/${command.name}\``)
    .join(", ");
}

function agentCommand(wanted: string, offer: Offer): ChoiceCommand {
  const agent = offer.agents.find(({ id, name }) => isSame(wanted, id) || isSame(wanted, name));
  return agent
    ? { kind: "change", change: { kind: "agent", id: agent.id } }
    : say(notOneOf(wanted, "agent", offer.agents));
}

/** Agent names may contain spaces. Conversation ids contain none and follow the agent's name. */
function continueCommand(words: readonly string[], offer: Offer): ChoiceCommand {
  const found = (name: string): string | undefined =>
    offer.agents.find((one) => isSame(name, one.id) || isSame(name, one.name))?.id;
  const whole = found(words.join(" "));
  if (whole !== undefined) return { kind: "continue", agent: whole, named: undefined };
  const agent = words.length > 1 ? found(words.slice(0, -1).join(" ")) : undefined;
  return agent === undefined
    ? say(notOneOf(words.join(" "), "agent", offer.agents))
    : { kind: "continue", agent, named: words.at(-1) };
}

function proxyCommand([wanted = "", state, ...rest]: readonly string[], offer: Offer): ChoiceCommand {
  const proxy = offer.proxies.find(({ id }) => isSame(wanted, id));
  if (!proxy) return say(notOneOf(wanted, "extension", offer.proxies));
  if (rest.length > 0 || (state !== "on" && state !== "off")) {
    return say(`Say \`on\` or \`off\`: \`/${prefix}proxies ${proxy.id} on\`.`);
  }
  return { kind: "change", change: { kind: "proxy", id: proxy.id, isOn: state === "on" } };
}

function guardCommand(words: readonly string[]): ChoiceCommand {
  const [word] = words;
  const wish = ([...protectionLevels, "default"] as const).find((one) => one === word);
  if (words.length > 1 || (word !== undefined && wish === undefined)) {
    return say(`Use \`sandbox\`, \`rules\`, \`off\` or \`default\`: \`/${prefix}guard sandbox\`.`);
  }
  return { kind: "guard", wish };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function say(text: string): ChoiceCommand {
  return { kind: "text", text };
}
