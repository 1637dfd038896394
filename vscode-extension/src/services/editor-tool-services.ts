import { LoopbackMcpBridge } from "@symposium-dev/core/node";
import type { ExtensionContext } from "vscode";
import { EditorTools } from "../features/editor-tools/editor-tools.js";
import { vscodeEditorTools } from "../features/editor-tools/vscode-editor-tools.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import type { SettingsSource } from "../features/settings/settings-source.js";
import { extensionVersion } from "./extension-version.js";

/** Returns this VS Code window's tools for the panel's agents. Agents that VS Code calls as language models never get these tools. */
export function editorToolsOf(context: ExtensionContext, source: SettingsSource, logger: Logger): EditorTools {
  return new EditorTools({
    source: vscodeEditorTools(context.extension.id),
    choice: () => source.settings.editorTools,
    version: extensionVersion(context),
    bridge: new LoopbackMcpBridge(undefined, coreLogger(logger, "editor tools")),
  });
}
