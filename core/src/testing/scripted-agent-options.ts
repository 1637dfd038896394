import type { Faults } from "./faults.js";
import type { Flow } from "./flow-gate.js";

export interface ScriptedAgentOptions {
  /** `agentInfo.name`, and the component's name; `scripted-agent` when absent. */
  readonly name?: string;
  /** Members that replace those of {@link scriptedAgentCapabilities}. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The version it answers, whatever the client asked; 1 when absent. */
  readonly protocolVersion?: number;
  /** Sessions are refused with -32000 until `authenticate` with the method `scripted`. */
  readonly authRequired?: boolean;
  /** Milliseconds until `initialize` is answered. */
  readonly slowStartMs?: number;
  /** Exits with this code when `initialize` arrives. */
  readonly diesAtInitialize?: number;
  readonly neverAnswersInitialize?: boolean;
  /** What the process can do; in the process of a test, faults fail. */
  readonly faults?: Faults;
  /** The channel whose back-pressure `stream` honours. */
  readonly flow?: Flow;
}

/** What a scripted agent answers to `initialize` unless an option says otherwise. */
export const scriptedAgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {}, fork: {} },
  auth: { logout: {} },
} as const;
