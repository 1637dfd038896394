import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";

const modes = [
  { id: "talk", name: "Talk", description: "Answers at once." },
  { id: "ask-first", name: "Ask first", description: "Asks for permission before every answer." },
] as const;

export type ModeId = (typeof modes)[number]["id"];

/** The config option that is the mode in another form, as ACP asks of agents that offer both. */
export const modeOptionId = "mode";

/** The mode of that id, if there is one. */
export function parseModeId(value: unknown): ModeId | undefined {
  return modes.find((mode) => mode.id === value)?.id;
}

export function modeState(current: ModeId): SessionModeState {
  return { currentModeId: current, availableModes: modes.map((mode) => ({ ...mode })) };
}

export function configOptions(current: ModeId): SessionConfigOption[] {
  const options = modes.map(({ id, name, description }) => ({ value: id, name, description }));
  return [{ id: modeOptionId, name: "Mode", category: "mode", type: "select", currentValue: current, options }];
}
