import { objectOf, objectsOf, stringOf, type WireObject } from "./wire.js";

/** What an agent said of itself in its answer to `initialize`. */
export interface InitializedAgent {
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean };
  readonly canLoad: boolean;
  readonly canResume: boolean;
  readonly canClose: boolean;
  readonly takesAdditionalDirectories: boolean;
  /** As they came. */
  readonly authMethods: readonly WireObject[];
  /** The agent's own name and version, for the log. */
  readonly info: string;
}

/** Reads the answer to `initialize`; what is missing or of another kind counts as not supported. */
export function parseInitialized(result: unknown): InitializedAgent {
  const { agentCapabilities, authMethods, agentInfo } = objectOf(result) ?? {};
  const capabilities = objectOf(agentCapabilities) ?? {};
  const prompt = objectOf(capabilities["promptCapabilities"]) ?? {};
  const session = objectOf(capabilities["sessionCapabilities"]) ?? {};
  const info = objectOf(agentInfo) ?? {};
  return {
    accepts: {
      image: prompt["image"] === true,
      audio: prompt["audio"] === true,
      embeddedContext: prompt["embeddedContext"] === true,
    },
    canLoad: capabilities["loadSession"] === true,
    canResume: isMarked(session["resume"]),
    canClose: isMarked(session["close"]),
    takesAdditionalDirectories: isMarked(session["additionalDirectories"]),
    authMethods: objectsOf(authMethods),
    info: [info["name"], info["version"]].flatMap((part) => stringOf(part) ?? []).join(" "),
  };
}

/** Capabilities are markers: an object means supported. Some agents write `true`. */
function isMarked(value: unknown): boolean {
  return value === true || objectOf(value) !== undefined;
}
