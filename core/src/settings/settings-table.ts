import { type ProtectionLevel, protectionLevels } from "../base/safety/protection-level.js";
import { contextSettings, defaultContextSettings } from "./context-settings.js";
import { conversationSettings, defaultConversationSettings } from "./conversation-settings.js";
import { isSafeAddress } from "./address.js";
import { type Placement, placementShape } from "./placement.js";
import { choice, describeValue, optional, record, wholeNumber, type WholeNumberOptions } from "./shape.js";
import { noSharedServers, sharedServersShape } from "./shared-servers.js";
import { defaultTelemetrySettings, telemetrySettings } from "./telemetry-settings.js";
import type { Shape } from "./shape.js";

interface Setting<T> extends Shape<T> {
  readonly default: T;
}

function numberSetting(options: WholeNumberOptions & { readonly default: number }): Setting<number> {
  return { ...wholeNumber(options, `The default, ${options.default}, is used.`), default: options.default };
}

/** Defines a setting for a URL from which texts are fetched. An empty value means none. */
function address(description: string, initial: string): Setting<string> {
  return {
    default: initial,
    schema: { type: "string", default: initial, description },
    read(value, place) {
      if (typeof value === "string" && (value === "" || isSafeAddress(value))) return value;
      return place.report(
        `${place.label} must be an https address, got ${describeValue(value)}.`,
        'The default is used. Use "" to turn it off.',
      );
    },
  };
}

function wordSetting<const T extends string>(description: string, words: readonly [T, ...T[]]): Setting<T> {
  const [initial] = words;
  const shape = choice(words, description, `The default, "${initial}", is used.`);
  return { ...shape, schema: { enum: words, default: initial, description }, default: initial };
}

/** Settings for searching MCP tools, for agents that would otherwise send all tools to their models. */
export interface ToolSearchSettings {
  /** Mode of the tool search; `auto`: search if the tools exceed the limits. */
  readonly mode: "auto" | "always" | "off";
  readonly maxTools: number;
  /** Maximum size of the tools' names, descriptions and schemas, in UTF-8 bytes. */
  readonly maxBytes: number;
}

const toolSearchDefaults: ToolSearchSettings = { mode: "auto", maxTools: 40, maxBytes: 20_000 };

const toolSearchMembers = {
  mode: optional(
    wordSetting<ToolSearchSettings["mode"]>(
      "`auto`: only when there are more tools than `maxTools` or `maxBytes` allow.",
      ["auto", "always", "off"],
    ),
  ),
  maxTools: optional(
    numberSetting({
      description: "Maximum number of tools that `auto` lists individually.",
      unit: "tools",
      default: toolSearchDefaults.maxTools,
      maximum: 10_000,
    }),
  ),
  maxBytes: optional(
    numberSetting({
      description: "Maximum size of the tools' names, descriptions and schemas, in bytes.",
      unit: "bytes",
      default: toolSearchDefaults.maxBytes,
      maximum: 100_000_000,
    }),
  ),
};

const toolSearchShape = record(toolSearchMembers, {
  description:
    "Whether agents that show every tool to their model get `search_tools` and `call_tool` instead of the tools of MCP servers. " +
    "Agents with their own tool search get the tools unchanged.",
});

/** When to add the login shell's variables to the environment in which programs are found and started. */
export type LoginEnvironmentUse = "auto" | "always" | "off";

export type CommandOutput = "short" | "full";

/** Maximum timer delay in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

const here: Placement | null = null;
const { anyOf, description } = placementShape.schema;

/** All settings with defaults; the source of the parser and the JSON schema. */
export const settingsTable = {
  startupTimeoutMs: numberSetting({
    description: "Time limit for a component to answer `initialize`, in milliseconds.",
    unit: "milliseconds",
    default: 120_000,
    maximum: maxTimerMs,
  }),
  maxMessageBytes: numberSetting({
    description: "Maximum message size, in bytes. Larger messages are answered with an error.",
    unit: "bytes",
    default: 268_435_456,
    maximum: 500 * 1024 * 1024,
  }),
  stallTimeoutMs: numberSetting({
    description:
      "How long a component may leave its input unread while messages wait, in milliseconds, before it is considered hung.",
    unit: "milliseconds",
    default: 60_000,
    maximum: maxTimerMs,
  }),
  registryUrl: address(
    'URL of the agent list. With "", only built-in and configured agents are known.',
    "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json",
  ),
  registryFallbackUrl: address(
    'URL of the agent list to use if `registryUrl` doesn\'t answer. "" turns it off.',
    "https://github.com/agentclientprotocol/registry/releases/latest/download/registry.json",
  ),
  extensionRegistryUrl: address(
    'URL of an extension list, in addition to the extensions in `registryUrl`. "" turns it off.',
    "",
  ),
  recommendationsUrl: address(
    'URL of a list of recommended extensions, in addition to the built-in list. "" turns it off.',
    "",
  ),
  loginEnvironment: wordSetting<LoginEnvironmentUse>(
    "Whether Symposium reads your login shell's environment, so that agents found in a terminal are also found when the editor was " +
      "started from the desktop. `auto`: only if the editor seems to have been started that way.",
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
  commandOutput: wordSetting<CommandOutput>(
    "`short`: agents start with variables that make test runners, linters and installers print only what matters (`AI_AGENT`, " +
      "`NO_COLOR`, `RUFF_OUTPUT_FORMAT` and so on; variables that you set yourself stay). `full`: without these variables.",
    ["short", "full"],
  ),
  guard: wordSetting<ProtectionLevel>(
    "`rules`: agents must follow the rules in guard.jsonc. `sandbox`: in addition, agents and the programs that work for them run " +
      "in a sandbox with access to the workspace and their own folders (Linux on x86_64 with bubblewrap; macOS, untested; on other " +
      "systems no agent starts). `off`: neither. `agents` in guard.jsonc can override this for one agent.",
    protectionLevels,
  ),
  host: wordSetting(
    "`on`: `run` and `zed run` connect to one background process, so that sessions continue when their window closes and several " +
      "clients can share one. `off`: each client has its own process. `run-with` uses the host with `--host`.",
    ["off", "on"],
  ),
  hostIdleMinutes: numberSetting({
    description:
      "Minutes before the host ends an idle session that no client is attached to. The host itself also stops after this time.",
    unit: "minutes",
    default: 15,
    maximum: 10_080,
  }),
  on: {
    default: here,
    schema: { description, anyOf, default: here },
    read: (value, place) => (value === null ? here : placementShape.read(value, place)),
  },
  sharedServers: {
    ...sharedServersShape,
    default: noSharedServers,
    schema: { ...sharedServersShape.schema, default: noSharedServers },
  },
  context: { ...contextSettings, default: defaultContextSettings },
  conversations: { ...conversationSettings, default: defaultConversationSettings },
  telemetry: { ...telemetrySettings, default: defaultTelemetrySettings },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

type SettingKey = keyof typeof settingsTable;
export type Settings = { readonly [K in SettingKey]: (typeof settingsTable)[K]["default"] };

export const settingKeys = Object.keys(settingsTable) as readonly SettingKey[];

export const defaultSettings: Settings = Object.freeze(
  Object.fromEntries(settingKeys.map((key) => [key, settingsTable[key].default])) as Settings,
);
