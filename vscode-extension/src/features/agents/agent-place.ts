import { type AgentOffer, elizaId } from "./agent-choices.js";

/**
 * What choosing an agent takes. `here`: it is on this machine; `install`: one click and a download; `demo`: nothing, and
 * no model answers; `elsewhere`: the user has to get it from its maker first.
 */
type AgentPlace = "here" | "install" | "demo" | "elsewhere";

const order: readonly AgentPlace[] = ["here", "install", "elsewhere", "demo"];

/** The headings of lists of agents. */
export const placeNames: Readonly<Record<AgentPlace, string>> = {
  here: "On this machine",
  install: "One click away",
  elsewhere: "From their makers",
  demo: "Without a model",
};

/** What the demonstration is called where agents are chosen; the tab has the agent's own name. */
export const demoName = "Demo (no model)";

export function agentPlace({ id, source, machine }: Pick<AgentOffer, "id" | "source" | "machine">): AgentPlace {
  if (source === "custom" || machine?.program !== undefined || machine?.installed !== undefined) return "here";
  if (id === elizaId) return "demo";
  return machine?.missing === undefined ? "install" : "elsewhere";
}

/** What can be used at once first, then what has to be installed, the demonstration last; else the order stays. */
export function inOrderOfUse(offers: readonly AgentOffer[]): AgentOffer[] {
  return order.flatMap((place) => offers.filter((offer) => agentPlace(offer) === place));
}

/** The version that would start, or how much would be downloaded; empty where neither is known. */
export function versionOrSize({ version, machine, ...offer }: AgentOffer): string {
  const { program, programVersion, installed, downloadMegabytes } = machine ?? {};
  switch (agentPlace({ ...offer, ...(machine && { machine }) })) {
    case "here":
      // A program on PATH is preferred to what was installed.
      return (program === undefined ? installed : programVersion) ?? "";
    case "install":
      return downloadMegabytes === undefined ? (version ?? "") : `about ${downloadMegabytes} MB`;
    case "demo":
    case "elsewhere":
      return "";
  }
}

/** One phrase for people: whether the user seems to be signed in, or what the agent needs, or what it is. */
export function agentState({ machine, description, ...offer }: AgentOffer): string {
  const { signIn, needs, missing } = machine ?? {};
  const place = agentPlace({ ...offer, ...(machine && { machine }) });
  if (place === "demo") return "Eliza answers at once, without a model or an account";
  if (place === "elsewhere") return `The program "${missing ?? ""}" is not on PATH: get it from its maker`;
  if (signIn !== undefined) return `Seems signed in: ${signIn}`;
  if (needs !== undefined) return `Needs ${needs}`;
  return description ?? "";
}
