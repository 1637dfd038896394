import { agentDefinition } from "./agent-definition.js";
import { hooksSchema } from "./hooks.js";
import { mcpServerCommand } from "./mcp-server-command.js";
import { inputsSchema, mcpServersSchema } from "./mcp-servers.js";
import { proxyEntriesSchema } from "./proxy-entry.js";
import { settingKeys, settingsTable } from "./settings-table.js";
import type { JsonSchema } from "./shape.js";

export function configSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Symposium configuration",
    description: "The file config.jsonc in ~/.symposium, or in the folder set by SYMPOSIUM_CONFIG_DIR.",
    type: "object",
    allowTrailingCommas: true,
    properties: {
      $schema: { type: "string", description: "URL of this file's schema." },
      agent: {
        description:
          "The agent: the name of a known agent, a command line (split into shell words; leading NAME=value words are environment " +
          "variables; nothing is expanded), or an object that says how to start it.",
        anyOf: [{ type: "string", minLength: 1 }, mcpServerCommand.schema, agentDefinition.schema],
      },
      hooks: hooksSchema,
      proxies: proxyEntriesSchema,
      mcpServers: mcpServersSchema,
      inputs: inputsSchema,
      ...Object.fromEntries(settingKeys.map((key) => [key, settingsTable[key].schema])),
    },
    patternProperties: { "^_": {} },
    additionalProperties: false,
  };
}
