import { messageOf } from "../../base/symposium-error.js";
import { nameOf } from "../../conductor/component.js";
import type { Conductor } from "../../conductor/conductor.js";
import { ModelFailure } from "../../model/model-failure.js";
import type { Component } from "../../settings/component-spec.js";
import type { ChainOpener } from "../../vscodelm/chain-opener.js";
import type { AgentStart } from "../../vscodelm/read-agent-definition.js";
import { proxiesOfTexts, readAgentText, toAgent } from "../components.js";
import type { Environment } from "../environment.js";
import { openChain } from "../open-chain.js";

/** Opens chains of these proxies before the agents that are asked for; `ended` ends all that are open or still starting. */
export function chainOpener(
  proxies: readonly string[],
  environment: Environment,
): { readonly opener: ChainOpener; readonly ended: () => Promise<void> } {
  const open = new Set<Conductor>();
  let isEnded = false;
  const opener: ChainOpener = (start, hasProxies) => async (client, proxy, onFailure) => {
    try {
      const agent = await toAgent(componentOf(start), environment);
      const configured = await proxiesOfTexts(hasProxies ? proxies : [], environment);
      const chain = [{ kind: "proxy", proxy } as const, ...configured];
      environment.logger.info("a chain starts", { agent: nameOf(agent), proxies: chain.map(nameOf).join(",") });
      const plan = { agent, proxies: chain };
      if (isEnded) throw new Error("The process is ending.");
      const conductor = openChain(plan, environment, client, { onFailure: ({ message }) => onFailure(message) });
      open.add(conductor);
      return { fromClient: conductor.fromClient, [Symbol.asyncDispose]: () => end(conductor) };
    } catch (fault) {
      throw new ModelFailure("agent-failed", messageOf(fault));
    }
  };
  async function end(conductor: Conductor): Promise<void> {
    await conductor[Symbol.asyncDispose]();
    open.delete(conductor);
  }
  async function ended(): Promise<void> {
    isEnded = true;
    await Promise.all([...open].map(end));
  }
  return { opener, ended };
}

function componentOf(start: AgentStart): Component {
  switch (start.kind) {
    case "eliza":
      return {
        kind: "symposium",
        name: "eliza",
        subcommand: "eliza",
        args: start.isDeterministic ? ["--deterministic"] : [],
      };
    case "words":
      return readAgentText(start.words);
    case "command": {
      const { name, command, args, env } = start;
      return { kind: "command", name, command: { command, args: [...args], env } };
    }
  }
}
