import { knownAgents } from "../../agents/known-agents.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { canonicalAgentId } from "../../registry/built-in-agents.js";
import type { Component } from "../../settings/component-spec.js";
import { isOnPath, readAgentText } from "../components.js";

/** A chain as a model: the configured one, or the configured proxies before another agent. */
export interface OfferedModel {
  /** What clients ask for. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Undefined for the configured chain. */
  readonly component: Component | undefined;
}

/** One model for each agent of `texts`; the configured chain where there are none. Throws where two have one id. */
export function offeredModels(texts: readonly string[]): readonly OfferedModel[] {
  if (texts.length === 0) return [{ id: "symposium", name: "Symposium", component: undefined }];
  const models = texts.map(toModel);
  const repeated = models.find(({ id }, index) => models.findIndex((model) => model.id === id) !== index);
  if (!repeated) return models;
  throw new SymposiumError("invalid-arguments", `--agent names "${repeated.id}" twice.`, "Name each agent once.");
}

function toModel(text: string): OfferedModel {
  const component = readAgentText(text);
  const id = component.kind === "name" ? canonicalAgentId(component.name) : component.name;
  const known = knownAgents(isOnPath).find((agent) => agent.id === id);
  return { id, name: `Symposium: ${known?.name ?? component.name}`, component };
}
