import { agentDefinition } from "../agent-definition.js";
import { inputsSchema, mcpServersSchema } from "../mcp-servers.js";
import { mcpServerCommand } from "../mcp-server-command.js";
import { proxyEntriesSchema } from "../proxy-entry.js";
import { settingKeys } from "../settings-table.js";
import { env, list, optional, record, text, type JsonSchema } from "../shape.js";

const names = (description: string) => list(text("A name."), description);

/** Recommendations, which are only displayed. */
const recommendation = record(
  {
    agents: optional(names("Ids of agents that fit this project.")),
    extensions: optional(names("Names of extensions that fit this project.")),
    text: optional(text("A sentence for whoever works here.")),
  },
  { description: "What fits this project. It is shown, and nothing is enabled." },
);

/** Data that starts no program and leads nowhere else; at most, it removes servers and tools. */
export const freeShapes = {
  recommend: recommendation,
  instructionFiles: names("Files with rules for agents, relative to the folder of .symposium, inside the repository."),
  disabledServers: names("MCP servers of your own that sessions here do not get."),
  disabledTools: names("Tools that sessions here do not get, as SERVER/TOOL; * stands for any characters."),
} as const;

/**
 * Keys of entries that run programs, lead elsewhere, change agents, or drop a proxy that the user may rely on. They apply after the user's
 * approval.
 */
export const approvedKeys = ["agent", "disabledProxies", "env", "inputs", "mcpServers", "proxies", "skills"] as const;
export type ApprovedKey = (typeof approvedKeys)[number];

export const environmentShape = env;
export const disabledProxies = names("Proxies of your own that take no part here, except required ones.");
export const skillFolders = names("Folders with skills for agents, relative to the folder of .symposium.");

/** Keys that no repository may set for its user, with the reason. */
export const neverKeys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(settingKeys.map((key) => [key, "it is a setting of the user's own"])),
  permissions: "what agents may do unasked is the user's to say",
  permissionMode: "what agents may do unasked is the user's to say",
  autoApprove: "what agents may do unasked is the user's to say",
  allowedTools: "what agents may do unasked is the user's to say",
  secrets: "secrets stand in the user's own store",
  telemetry: "what leaves the machine is the user's to say",
  trust: "a project cannot trust itself",
  trustedFolders: "a project cannot trust itself",
  approved: "a project cannot approve itself",
};

/** Returns the JSON schema (draft 07) of a project's `.symposium/config.jsonc`, built from the parser's definitions. */
export function projectSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Symposium configuration of a project",
    description: "The files .symposium/config.jsonc and .symposium/config.local.jsonc of a repository.",
    type: "object",
    allowTrailingCommas: true,
    properties: {
      $schema: { type: "string", description: "Address of the schema of this file." },
      ...Object.fromEntries(Object.entries(freeShapes).map(([key, { schema }]) => [key, schema])),
      agent: {
        description: "The agent of `symposium-acp-agent run` in this folder, as in the user's config.jsonc.",
        anyOf: [{ type: "string", minLength: 1 }, mcpServerCommand.schema, agentDefinition.schema],
      },
      disabledProxies: disabledProxies.schema,
      env: { ...env.schema, description: "Environment variables of that agent." },
      inputs: inputsSchema,
      mcpServers: mcpServersSchema,
      proxies: proxyEntriesSchema,
      skills: skillFolders.schema,
    },
    patternProperties: { "^_": {} },
    additionalProperties: false,
  };
}
