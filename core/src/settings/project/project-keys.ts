import { agentDefinition } from "../agent-definition.js";
import { hooksSchema } from "../hooks.js";
import { inputsSchema, mcpServersSchema } from "../mcp-servers.js";
import { mcpServerCommand } from "../mcp-server-command.js";
import { proxyEntriesSchema } from "../proxy-entry.js";
import { settingKeys } from "../settings-table.js";
import { env, list, optional, record, text, type JsonSchema } from "../shape.js";

const names = (description: string) => list(text("A name."), description);

/** Recommendations, which are only displayed. */
const recommendation = record(
  {
    agents: optional(names("IDs of agents recommended for this project.")),
    extensions: optional(names("Names of extensions recommended for this project.")),
    text: optional(text("A note for people who work on this project.")),
  },
  { description: "Recommendations for this project. They are only shown; nothing is enabled." },
);

/** Settings that need no approval, since they start no program and lead nowhere else; at most, they remove servers and tools. */
export const freeShapes = {
  recommend: recommendation,
  instructionFiles: names(
    "Files with rules for agents, inside the repository, relative to the folder that contains .symposium.",
  ),
  disabledServers: names("Your own MCP servers to leave out of this project's sessions."),
  disabledTools: names("Tools to leave out of this project's sessions, as SERVER/TOOL; * matches any characters."),
} as const;

/**
 * Keys of entries that run programs, lead elsewhere, change agents, or drop a proxy that the user may rely on. They apply after the user's
 * approval.
 */
export const approvedKeys = [
  "agent",
  "disabledProxies",
  "env",
  "hooks",
  "inputs",
  "mcpServers",
  "proxies",
  "skills",
] as const;
export type ApprovedKey = (typeof approvedKeys)[number];

export const environmentShape = env;
export const disabledProxies = names("Your own proxies to leave out of this project's sessions, except required ones.");
export const skillFolders = names("Folders with skills for agents, relative to the folder that contains .symposium.");

/** Keys that no repository may set for its user, with the reason. */
export const neverKeys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(settingKeys.map((key) => [key, "it is a user setting"])),
  permissions: "only the user decides what agents may do without asking",
  permissionMode: "only the user decides what agents may do without asking",
  autoApprove: "only the user decides what agents may do without asking",
  allowedTools: "only the user decides what agents may do without asking",
  secrets: "secrets belong in the user's own store",
  telemetry: "only the user decides what leaves the machine",
  trust: "a project cannot trust itself",
  trustedFolders: "a project cannot trust itself",
  approved: "a project cannot approve itself",
};

/** Returns the JSON schema (draft 07) of a project's `.symposium/config.jsonc`, built from the parser's definitions. */
export function projectSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Symposium project configuration",
    description: "The files .symposium/config.jsonc and .symposium/config.local.jsonc in a repository.",
    type: "object",
    allowTrailingCommas: true,
    properties: {
      $schema: { type: "string", description: "URL of this file's schema." },
      ...Object.fromEntries(Object.entries(freeShapes).map(([key, { schema }]) => [key, schema])),
      agent: {
        description: "The agent of `symposium-acp-agent run` in this folder, as in the user's config.jsonc.",
        anyOf: [{ type: "string", minLength: 1 }, mcpServerCommand.schema, agentDefinition.schema],
      },
      disabledProxies: disabledProxies.schema,
      env: { ...env.schema, description: "Environment variables of that agent." },
      hooks: hooksSchema,
      inputs: inputsSchema,
      mcpServers: mcpServersSchema,
      proxies: proxyEntriesSchema,
      skills: skillFolders.schema,
    },
    patternProperties: { "^_": {} },
    additionalProperties: false,
  };
}
