import { agentNameOf, type Change, type Choice, type Choosable, type Offer } from "./chosen-agent-and-proxies.js";

/** Effect of a change on a session: `moved` to another chain, `stays` as before, or `same` without change. */
export type ChangeEffect = "moved" | "stays" | "same";

export function changeDone(offer: Offer, change: Change, effect: ChangeEffect, own: Choice): string {
  const what = describeChange(offer, change);
  if (effect === "same") return `No change: ${what} already.`;
  if (effect === "moved") return `Done: ${what} from the next prompt and in new sessions.`;
  return `Done: ${what} in new sessions. This session has already started and stays unchanged with ${agentNameOf(offer, own)}.`;
}

export function changeFailed(offer: Offer, change: Change, reason: string): string {
  return `Not changed: "${nameOf(offer, change)}" can't be ${change.kind === "agent" ? "used" : "switched"}. ${reason}`;
}

export function configText(offer: Offer, own: Choice, configured: Choice, file: string): string {
  const lines = [
    `- Agent of this session: **${agentNameOf(offer, own)}**`,
    `- Agent of new sessions: **${agentNameOf(offer, configured)}**`,
    `- Extensions of this session: ${namesOf(offer, own)}`,
    `- Extensions of new sessions: ${namesOf(offer, configured)}`,
    `- Configuration: \`${file}\``,
  ];
  const how = "Change these with `/symposium:agent` and `/symposium:proxies`, or with the selectors of your editor.";
  return `${lines.join("\n")}\n\n${how}`;
}

export function agentList(offer: Offer, configured: Choice): string {
  const list = offer.agents.map((agent) => item(agent, agent.id === configured.agent ? "used by new sessions" : ""));
  return `${list.join("\n")}\n\nType \`/symposium:agent NAME\` to choose one.`;
}

export function continueList(offer: Offer, own: Choice): string {
  const list = offer.agents.map((agent) => item(agent, agent.id === own.agent ? "has this session" : ""));
  return (
    `${list.join("\n")}\n\nType \`/symposium:continue NAME\` to continue this conversation with one of them. In a new session, this ` +
    "continues the folder's last conversation. To continue another one, add its ID after the name (see `symposium-acp-agent " +
    "sessions list`)."
  );
}

export function continued(offer: Offer, agent: string, before: string | undefined): string {
  const name = nameOf(offer, { kind: "agent", id: agent });
  const stays = before === undefined ? "" : ` ${before}'s session stays open until the new agent answers.`;
  return `Done: ${name} continues this conversation. It gets the history with your next prompt.${stays}`;
}

export function notContinued(offer: Offer, agent: string, reason: string): string {
  return `Not changed: ${nameOf(offer, { kind: "agent", id: agent })} can't continue this conversation. ${reason}`;
}

export function notHeld(wish: string | undefined, reason: string): string {
  return wish === undefined
    ? `The protection level can't be shown. ${sentence(reason)}`
    : `The protection level was not changed. ${sentence(reason)}`;
}

/** Tells the user that the conversation returned to its previous agent, because the new agent's first prompt failed. */
export function cameBack(offer: Offer, agent: string, reason: string, own: Choice): string {
  const name = nameOf(offer, { kind: "agent", id: agent });
  return `${name} did not answer: ${sentence(reason)} This conversation is back with ${agentNameOf(offer, own)}.`;
}

const limits =
  /rate.?limit|usage.?limit|limit (?:was |has been )?(?:reached|exceeded|hit)|quota|too many requests|\b429\b|out of (?:credits|tokens)|(?:insufficient|no) (?:credits|balance|funds)|resource.?exhausted/i;

/** Returns a text that offers other agents after a failed prompt; undefined if there are no other agents. */
export function othersOffered(offer: Offer, own: Choice, reason: string, isSignedOut: boolean): string | undefined {
  const others = offer.agents.filter(({ id }) => id !== own.agent);
  const [first] = others;
  if (!first) return undefined;
  const why = isSignedOut ? "is not signed in" : limits.test(reason) ? "has reached a limit" : "did not answer";
  const names = others.map(({ id }) => `\`${id}\``).join(", ");
  return (
    `${agentNameOf(offer, own)} ${why}. Use \`/symposium:continue NAME\` to continue with another agent, here or in a new session. ` +
    `It gets the history of this conversation. Agents: ${names}.`
  );
}

export function proxyList(offer: Offer, configured: Choice): string {
  const list = offer.proxies.map((proxy) => item(proxy, configured.proxies.has(proxy.id) ? "on" : "off"));
  return `${list.join("\n")}\n\nType \`/symposium:proxies NAME on\` or \`/symposium:proxies NAME off\`.`;
}

export function notOneOf(given: string, what: string, items: readonly Choosable[]): string {
  return `"${given}" is no ${what}. There are: ${items.map(({ id }) => `\`${id}\``).join(", ")}.`;
}

export function sentence(phrase: string): string {
  const text = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function describeChange(offer: Offer, change: Change): string {
  const name = nameOf(offer, change);
  return change.kind === "agent" ? `${name} answers` : `${name} is ${change.isOn ? "on" : "off"}`;
}

function nameOf(offer: Offer, { kind, id }: Change): string {
  return (kind === "agent" ? offer.agents : offer.proxies).find((one) => one.id === id)?.name ?? id;
}

function namesOf(offer: Offer, { proxies }: Choice): string {
  const names = offer.proxies.filter(({ id }) => proxies.has(id)).map(({ name }) => name);
  return names.length === 0 ? "none" : names.join(", ");
}

function item({ id, name, description }: Choosable, state: string): string {
  const title = id === name ? `**${id}**` : `**${id}** (${name})`;
  return `- ${title}${state === "" ? "" : `, ${state}`}: ${description}`;
}
