import { type ProtectionLevel, protectionLevels } from "../base/safety/protection-level.js";
import { contextSettings, defaultContextSettings } from "./context-settings.js";
import { conversationSettings, defaultConversationSettings } from "./conversation-settings.js";
import { isSafeAddress } from "./address.js";
import { describeValue, optional, record } from "./shape.js";
import type { Shape } from "./shape.js";

interface Setting<T> extends Shape<T> {
  readonly default: T;
}

interface WholeNumberOptions {
  readonly description: string;
  /** Unit in the plural. */
  readonly unit: string;
  readonly default: number;
  readonly maximum: number;
}

function wholeNumber({ description, unit, maximum, ...rest }: WholeNumberOptions): Setting<number> {
  return {
    default: rest.default,
    schema: { type: "integer", minimum: 1, maximum, default: rest.default, description },
    read(value, place) {
      if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maximum) return value;
      return place.report(
        `${place.label} must be a whole number of ${unit} from 1 to ${maximum}, got ${describeValue(value)}.`,
        `The default, ${rest.default}, is used.`,
      );
    },
  };
}

/** Defines an address to fetch texts from; empty means none. */
function address(description: string, initial: string): Setting<string> {
  return {
    default: initial,
    schema: { type: "string", default: initial, description },
    read(value, place) {
      if (typeof value === "string" && (value === "" || isSafeAddress(value))) return value;
      return place.report(
        `${place.label} must be an https address, got ${describeValue(value)}.`,
        'The default is used. Write "" to switch it off.',
      );
    },
  };
}

function choice<const T extends string>(description: string, words: readonly [T, ...T[]]): Setting<T> {
  const [initial] = words;
  return {
    default: initial,
    schema: { enum: words, default: initial, description },
    read(value, place) {
      const word = words.find((one) => one === value);
      if (word !== undefined) return word;
      const known = words.map((one) => JSON.stringify(one)).join(", ");
      return place.report(
        `${place.label} must be one of ${known}, got ${describeValue(value)}.`,
        `The default, "${initial}", is used.`,
      );
    },
  };
}

/** Settings for searching MCP tools, for agents that would otherwise send all tools to their models. */
export interface ToolSearchSettings {
  /** `auto`: if the tools exceed the limits. */
  readonly mode: "auto" | "always" | "off";
  readonly maxTools: number;
  /** Maximum UTF-8 bytes of names, descriptions and schemas. */
  readonly maxBytes: number;
}

const toolSearchDefaults: ToolSearchSettings = { mode: "auto", maxTools: 40, maxBytes: 20_000 };

const toolSearchMembers = {
  mode: optional(
    choice<ToolSearchSettings["mode"]>("`auto`: only when there are more tools than `maxTools` or `maxBytes` allow.", [
      "auto",
      "always",
      "off",
    ]),
  ),
  maxTools: optional(
    wholeNumber({
      description: "The most tools that `auto` shows to the model one by one.",
      unit: "tools",
      default: toolSearchDefaults.maxTools,
      maximum: 10_000,
    }),
  ),
  maxBytes: optional(
    wholeNumber({
      description: "The most that their names, descriptions and schemas may take, in bytes.",
      unit: "bytes",
      default: toolSearchDefaults.maxBytes,
      maximum: 100_000_000,
    }),
  ),
};

const toolSearchShape = record(toolSearchMembers, {
  description:
    "Whether agents that show every tool to their model get `search_tools` and `call_tool` in place of the tools of MCP servers. Agents that search by themselves get the tools as they are.",
});

/** Whether to add variables of the login shell to the environment for finding and starting programs. */
export type LoginEnvironmentUse = "auto" | "always" | "off";

export type CommandOutput = "short" | "full";

/** Maximum timer delay in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** All settings with defaults; the source of the parser and the JSON schema. */
export const settingsTable = {
  startupTimeoutMs: wholeNumber({
    description: "How long a component may take to answer `initialize`, in milliseconds.",
    unit: "milliseconds",
    default: 120_000,
    maximum: maxTimerMs,
  }),
  maxMessageBytes: wholeNumber({
    description: "The longest message that is passed on, in bytes. A longer one is answered with an error.",
    unit: "bytes",
    default: 268_435_456,
    maximum: 500 * 1024 * 1024,
  }),
  stallTimeoutMs: wholeNumber({
    description:
      "How long a component may leave its input unread while messages wait for it, in milliseconds, before it counts as hung.",
    unit: "milliseconds",
    default: 60_000,
    maximum: maxTimerMs,
  }),
  registryUrl: address(
    'Where the list of agents is fetched from. "" means that only built-in and configured agents are known.',
    "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json",
  ),
  registryFallbackUrl: address(
    'Where the list of agents is fetched from while `registryUrl` does not answer. "" means nowhere.',
    "https://github.com/agentclientprotocol/registry/releases/latest/download/registry.json",
  ),
  extensionRegistryUrl: address(
    'Where a list of extensions is fetched from, besides those that `registryUrl` may have. "" means nowhere.',
    "",
  ),
  recommendationsUrl: address(
    'Where a list of recommended extensions is fetched from, besides the one that ships. "" means nowhere.',
    "",
  ),
  loginEnvironment: choice<LoginEnvironmentUse>(
    "Whether your login shell is asked for its environment, so that agents which a terminal finds are found too when an editor was started from the desktop. `auto`: only when it looks like such a start.",
    ["auto", "always", "off"],
  ),
  toolSearch: {
    default: toolSearchDefaults,
    schema: { ...toolSearchShape.schema, default: toolSearchDefaults },
    read(value, place) {
      const read = toolSearchShape.read(value, place);
      return read && { ...toolSearchDefaults, ...read };
    },
  },
  commandOutput: choice<CommandOutput>(
    "`short`: agents start with variables that test runners, linters and installers read themselves, so that their output has what matters alone (`AI_AGENT`, `NO_COLOR`, `RUFF_OUTPUT_FORMAT` and the like; what you have set stays). `full`: without.",
    ["short", "full"],
  ),
  guard: choice<ProtectionLevel>(
    "`rules`: agents are held to the rules of guard.jsonc. `sandbox`: also, agents and what works for them run in a sandbox that opens the workspace and their own folders (Linux on x86_64 with bubblewrap; macOS, untested; elsewhere no agent starts). `off`: neither. `agents` in guard.jsonc may say otherwise for one agent.",
    protectionLevels,
  ),
  host: choice(
    "`on`: `run` and `zed run` only pass messages to one background process of yours, so that sessions go on when their window closes, and several clients can share one. `off`: each client has a process of its own. `run-with` uses the host with `--host`.",
    ["off", "on"],
  ),
  hostIdleMinutes: wholeNumber({
    description:
      "How long the host keeps a session that no client is attached to, and in which nothing runs or waits, in minutes. Then it also ends itself.",
    unit: "minutes",
    default: 15,
    maximum: 10_080,
  }),
  context: { ...contextSettings, default: defaultContextSettings },
  conversations: { ...conversationSettings, default: defaultConversationSettings },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

type SettingKey = keyof typeof settingsTable;
export type Settings = { readonly [K in SettingKey]: (typeof settingsTable)[K]["default"] };

export const settingKeys = Object.keys(settingsTable) as readonly SettingKey[];

export const defaultSettings: Settings = Object.freeze(
  Object.fromEntries(settingKeys.map((key) => [key, settingsTable[key].default])) as Settings,
);
