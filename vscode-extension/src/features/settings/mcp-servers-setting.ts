import * as l10n from "@vscode/l10n";
import { asObject, parseMcpServers } from "@symposium-dev/core";
import { describe, type Setting } from "./setting.js";

export const mcpServersSetting: Setting<Readonly<Record<string, unknown>>> = {
  contribution: {
    type: "object",
    default: {},
    scope: "machine",
    additionalProperties: { type: "object" },
    markdownDescription: l10n.t(
      'MCP servers for every agent, in addition to those in config.jsonc, such as `{ "files": { "command": "npx", "args": ["-y", "some-server"] } }` or `{ "issues": { "url": "https://…" } }`. Values can contain `${env:NAME}`, `${secret:NAME}` and `${workspaceFolder}`. Workspaces can\'t change this setting: a project lists its servers in `.symposium/config.jsonc`, which you approve. Changes apply to new sessions.',
    ),
  },
  read(value, report) {
    const servers = asObject(value);
    if (!servers) {
      report(l10n.t("must be an object of servers, got {0}.", describe(value)), l10n.t("It is ignored."));
      return {};
    }
    const { problems } = parseMcpServers(servers, { kind: "editor" });
    for (const { message, hint } of problems) report(`: ${message}`, hint);
    return servers;
  },
};
