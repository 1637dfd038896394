import { Json } from "../../base/rpc/json.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { Change, Choice, Choosable, Offer } from "./chosen-agent-and-proxies.js";
import { sentence } from "./choice-text.js";

export const agentOptionId = "symposium.agent";
const proxyOptionPrefix = "symposium.proxy.";

const scope = "Applies to new sessions, and to this one until its first prompt.";
const switchValues: readonly Choosable[] = [
  { id: "on", name: "On", description: "Active in the session" },
  { id: "off", name: "Off", description: "Is left out" },
];

/**
 * Converts `choice` to ACP config options: a select for the agent if several exist, and a boolean per proxy. If the client lacks booleans
 * (`session.configOptions.boolean`), proxies become selects of On and Off.
 */
export function choiceOptions(offer: Offer, choice: Choice, takesBooleans: boolean): readonly Json[] {
  const agent = {
    id: agentOptionId,
    name: "Agent",
    description: `The agent behind Symposium. ${scope}`,
    ...selectOf(offer.agents, choice.agent),
  };
  const proxies = offer.proxies.map(({ id, name, description }) => {
    const isOn = choice.proxies.has(id);
    return {
      id: proxyOptionPrefix + id,
      name,
      description: `${sentence(description)} ${scope}`,
      ...(takesBooleans ? { type: "boolean", currentValue: isOn } : selectOf(switchValues, isOn ? "on" : "off")),
    };
  });
  return [...(offer.agents.length > 1 ? [agent] : []), ...proxies].map((option) => Json.of(option));
}

export function isChoiceOption(configId: unknown): configId is string {
  return typeof configId === "string" && (configId === agentOptionId || configId.startsWith(proxyOptionPrefix));
}

export function changeOf(configId: string, value: unknown, offer: Offer): Change | RpcError {
  if (configId === agentOptionId) {
    const agent = offer.agents.find(({ id }) => id === value);
    return agent ? { kind: "agent", id: agent.id } : notOneOf(configId, value, offer.agents);
  }
  const proxy = offer.proxies.find(({ id }) => proxyOptionPrefix + id === configId);
  if (!proxy) {
    const known = offer.proxies.map(({ id }) => proxyOptionPrefix + id).join(", ");
    return RpcError.invalidParams(`unknown config option "${configId}". Options: ${agentOptionId}, ${known}.`);
  }
  const isOn = value === true || value === "on" ? true : value === false || value === "off" ? false : undefined;
  return isOn === undefined ? notOneOf(configId, value, switchValues) : { kind: "proxy", id: proxy.id, isOn };
}

function notOneOf(configId: string, value: unknown, items: readonly Choosable[]): RpcError {
  const known = items.map(({ id }) => id).join(", ");
  return RpcError.invalidParams(`"${configId}" can't be ${JSON.stringify(value)}. Use one of: ${known}.`);
}

function selectOf(items: readonly Choosable[], currentValue: string): object {
  return {
    type: "select",
    currentValue,
    options: items.map(({ id, name, description }) => ({ value: id, name, description: sentence(description) })),
  };
}
