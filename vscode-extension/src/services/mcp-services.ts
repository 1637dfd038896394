import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { basename } from "node:path";
import { type ExtensionContext, workspace } from "vscode";
import type { WindowAgents } from "../acp/running-agent.js";
import type { SubcommandRunner } from "../features/agents/subcommand-runner.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { McpServersPage } from "../features/mcp-servers/mcp-servers-page.js";
import { RunningServers, type ServerNotices } from "../features/mcp-servers/running-servers.js";
import { vscodeMcpServersEditor } from "../features/mcp-servers/vscode-mcp-servers-editor.js";
import { PagePanel } from "../features/pages/page-panel.js";
import type { SettingsSource } from "../features/settings/settings-source.js";

interface McpServicesOptions {
  readonly context: ExtensionContext;
  readonly commandLine: SubcommandRunner;
  readonly source: SettingsSource;
  readonly editorServers: () => Promise<Readonly<Record<string, unknown>>>;
  readonly agents: WindowAgents;
  readonly notices: ServerNotices;
}

export function mcpServersPanel({
  context,
  commandLine,
  source,
  editorServers,
  agents,
  notices,
}: McpServicesOptions): PagePanel {
  const page = new McpServersPage({
    commandLine,
    running: new RunningServers(agents),
    editor: vscodeMcpServersEditor(() => workspaceFolders()[0] ?? homedir(), editorServers),
    changed: () => panel.send(),
  });
  const panel: PagePanel = new PagePanel({
    extensionUri: context.extensionUri,
    name: "mcp-servers",
    viewType: "symposium.mcpServers",
    title: l10n.t("Symposium: MCP Servers"),
    page,
  });
  const refreshRunning = (): void => {
    if (panel.isVisible) void page.refreshRunning();
  };
  const subscriptions = [notices.subscribe(refreshRunning), agents.subscribe(refreshRunning)];
  context.subscriptions.push(
    source.onDidChange(() => panel.refreshIfSeen()),
    workspace.onDidSaveTextDocument(({ fileName }) => {
      if (["config.jsonc", "config.local.jsonc"].includes(basename(fileName))) panel.refreshIfSeen();
    }),
    { dispose: () => [panel, ...subscriptions].forEach((one) => one[Symbol.dispose]()) },
  );
  return panel;
}
