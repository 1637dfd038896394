/** The wire names of ACP v1 that the client side acts on. */
export const wire = {
  initialize: "initialize",
  authenticate: "authenticate",
  sessionNew: "session/new",
  sessionLoad: "session/load",
  sessionResume: "session/resume",
  sessionClose: "session/close",
  sessionPrompt: "session/prompt",
  sessionCancel: "session/cancel",
  sessionUpdate: "session/update",
  setConfigOption: "session/set_config_option",
  setMode: "session/set_mode",
  setModel: "session/set_model",
  requestPermission: "session/request_permission",
  createElicitation: "elicitation/create",
} as const;

/** ACP's error code for "sign in first". */
export const authRequiredCode = -32000;

export type WireObject = Readonly<Record<string, unknown>>;

/** `value` if it is a JSON object, else undefined. */
export function objectOf(value: unknown): WireObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireObject) : undefined;
}

/** The objects of an array; none where `value` is no array. Elements of another kind are left out. */
export function objectsOf(value: unknown): WireObject[] {
  if (!Array.isArray(value)) return [];
  return value.map((element: unknown) => objectOf(element)).filter((element) => element !== undefined);
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A finite number, else undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
